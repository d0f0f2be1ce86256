/** A request to add. */
export interface OutboxRequest {
  /** A path of the API, encoded as in a URL. */
  endpoint: string;
  /** `POST` by default. */
  method?: "POST" | "PUT" | "PATCH" | "DELETE";
  /** Written as JSON; with another `contentType`, a text that is sent as it is. None by default. */
  payload?: unknown;
  /** `application/json` by default. */
  contentType?: string;
  /** The entries of a lane are sent in order, one at a time. `default` by default. */
  lane?: string;
  /** The application's name for what the request does; the method in lower case by default. */
  operation?: string;
}

export type OutboxStatus = "pending" | "failed" | "confirmed";

/** Why an attempt to send an entry was not confirmed. */
export type OutboxReason =
  | "no_response"
  | "not_proven"
  | "redirected"
  | "unauthorized"
  | "busy"
  | "server_error"
  | "in_progress"
  | "outcome_unknown"
  | "payload_mismatch"
  | "rejected"
  | "expired"
  | "invalid"
  | "gave_up";

/** A request in an outbox. */
export interface OutboxEntry {
  /** Identifies the entry in its outbox. */
  id: string;
  /** Sent as `Idempotency-Key` in every attempt. */
  idempotencyKey: string;
  /** Sent as `X-Client-Tx-Id` in every attempt. */
  clientTxId: string;
  operation: string;
  method: string;
  endpoint: string;
  contentType: string;
  payload: any;
  lane: string;
  status: OutboxStatus;
  /** How many attempts have ended without a final result. */
  retryCount: number;
  /** When the entry may be sent. */
  nextRetryAt: Date;
  createdAt: Date;
  /** When the first attempt started, or an earlier time if that is not known exactly. */
  firstSentAt?: Date;
  /** Why the last attempt was not confirmed. */
  reason?: string;
  /** The same in a sentence. */
  lastError?: string;
  /** The API's final response, with the first 64 KiB of its body. */
  response?: { status: number; body: string };
}

/** Decides whether a response comes from the API. */
export type Proof = (entry: { clientTxId: string }, response: { status: number; headers: Headers }) => boolean;

export interface OutboxOptions {
  /** 1 to 32 characters of a-z, 0-9 and _. `outbox` by default. */
  name?: string;
  /** Origin of the API, such as `https://api.example.com`; the origin of the page by default. */
  base?: string;
  /** A bearer token, or a function that returns one. It is called again with the token that the API has rejected. */
  token?: string | ((rejected: string | null) => string | Promise<string>);
  /** The user whose entries these are. Each user has an own outbox, and tokens of others are rejected. */
  user?: string;
  /** How many lanes are sent at the same time; 4 by default. */
  parallel?: number;
  /** Milliseconds until an attempt without a complete response has failed; 30,000 by default. */
  timeout?: number;
  /** How responses prove that they come from the API; by the headers of Semel by default. */
  proof?: Proof | { header: string } | { contentType: string };
  /** Milliseconds that the API keeps keys, until that is learned; 24 hours by default. */
  keyLife?: number;
  /** Milliseconds that the API keeps tombstones, from the end of the key's life on; 30 days by default. */
  tombstoneLife?: number;
  /** Whether the API has `GET /v1/idempotency/{key}`; true by default. */
  canAsk?: boolean;
  /** What happens to entries whose outcome nobody knows any more: `fail` by default, or `send`. */
  ifExpired?: "fail" | "send";
  /** Lets entries fail after so many attempts, or at this age in milliseconds. No limit by default. */
  giveUpAfter?: { attempts?: number; age?: number };
  /** Milliseconds that confirmed entries are kept; seven days by default. */
  keepConfirmed?: number;
  /** A clock and its timers, for tests. */
  clock?: {
    now(): number;
    setTimeout(action: () => void, millis: number): any;
    clearTimeout(timer: any): void;
  };
}

export interface EntryQuery {
  status?: OutboxStatus;
  lane?: string;
  /** Only entries that were added after the one with this id. */
  after?: string;
  /** The most entries to return; all by default. */
  limit?: number;
}

export interface OutboxChange {
  change: "added" | "sending" | "waiting" | "failed" | "confirmed" | "retried" | "discarded" | "purged";
  id?: string;
  clientTxId?: string;
  operation?: string;
  lane?: string;
  status?: OutboxStatus;
  reason?: string;
}

export declare class OutboxError extends Error {
  readonly code: "invalid" | "storage_full" | "storage_unavailable" | "storage_blocked" | "storage_newer" | "closed";
}

/** A durable queue of HTTP requests. Any number of tabs may use it; one of them sends. */
export declare class Outbox extends EventTarget {
  constructor(options?: OutboxOptions);

  /** Whether this tab is the one that sends. */
  readonly isSender: boolean;

  readonly user: string | undefined;

  /** Adds an entry. When the promise is fulfilled, the entry is on disk, and is sent even if the tab is closed. */
  add(request: OutboxRequest): Promise<OutboxEntry>;

  /** Returns entries in the order of adding. */
  entries(query?: EntryQuery): Promise<OutboxEntry[]>;

  /** Returns the entry with an id; undefined if there is none, or if it was confirmed and has expired. */
  find(id: string): Promise<OutboxEntry | undefined>;

  /** Counts the entries of each status without reading them. */
  counts(): Promise<{ pending: number; failed: number; confirmed: number }>;

  /** Lets a failed entry be sent again. False if there is no such entry, or if it has not failed. */
  retry(id: string): Promise<boolean>;

  /** Deletes an entry that is pending or has failed. False if there is none. */
  discard(id: string): Promise<boolean>;

  /** Deletes confirmed entries, and returns how many. */
  purge(olderThan?: number): Promise<number>;

  /** Ends the pauses of entries that failed for want of a network or of a token. */
  wake(): void;

  /** Stops to send in this tab. Entries stay. */
  close(): Promise<void>;

  /** Closes the outbox, and deletes it with all its entries. */
  destroy(): Promise<void>;

  addEventListener(
    type: "change",
    listener: (event: CustomEvent<OutboxChange>) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: "error",
    listener: (event: CustomEvent<OutboxError>) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

/** Returns a new tid62, which sorts by time: an id that a client can give to what it creates. */
export declare function tid62(now?: number, random?: Uint8Array): string;

/** Returns a new UUID of version 4. */
export declare function uuid4(random?: Uint8Array): string;
