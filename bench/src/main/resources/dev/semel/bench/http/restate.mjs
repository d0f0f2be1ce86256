// The service that Restate calls: one durable step, and a response as long as the request.
Promise.withResolvers ??= function () {
  let resolve, reject;
  const promise = new Promise((done, failed) => ((resolve = done), (reject = failed)));
  return { promise, resolve, reject };
};
const restate = await import(process.env.RESTATE_SDK);
const orders = restate.service({
  name: "orders",
  handlers: {
    place: async (context, order) => {
      await context.run("place", () => true);
      return order;
    },
  },
});
restate.serve({ services: [orders], port: Number(process.env.PORT) });
