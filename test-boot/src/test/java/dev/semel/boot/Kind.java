package dev.semel.boot;

/** The ways in which a handler responds. */
enum Kind {
    SYNC("/orders/sync"),
    FUTURE("/orders/future"),
    DEFERRED("/orders/deferred"),
    CALLABLE("/orders/callable"),
    STREAM("/orders/stream"),
    EMITTER("/orders/emitter"),
    COMPLETE("/servlet/complete"),
    DISPATCH("/servlet/dispatch");

    private final String path;

    Kind(String path) {
        this.path = path;
    }

    /** Returns the path of the handler under a policy. */
    String path(String policy) {
        return "/" + policy + path;
    }
}
