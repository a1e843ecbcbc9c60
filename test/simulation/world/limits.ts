/** Unread bytes of a client's connection after which a node closes it. */
export const MAX_QUEUED_BYTES = 8 * 1024
/** Unread bytes of a replica's connection after which its source closes it. */
export const MAX_REPLICA_QUEUED_BYTES = 2 ** 20
/** One message may exceed the limit: larger than every message of a simulation. */
export const LARGEST_MESSAGE_BYTES = 2 ** 16
