/**
 * Modules that come from the world instead of the script of a process: what `processModules` gives for them has no
 * effect outside the simulation.
 */
export const HOST_MODULES: readonly string[] = [
  'node:buffer',
  'node:cluster',
  'node:crypto',
  'node:events',
  'node:fs',
  'node:fs/promises',
  'node:module',
  'node:net',
  'node:path',
  'node:stream',
  'node:stream/promises',
  'node:timers/promises',
  'node:util',
  'node:zlib',
  // Clients of the simulated network.
  'ws',
  '@nats-io/jetstream',
  '@nats-io/kv',
  '@nats-io/transport-node',
]
