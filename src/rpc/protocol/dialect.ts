/** Format of responses: `base` as reth on Base, `ethereum` as go-ethereum. Never changes chain rules. */
export const DIALECTS = ['base', 'ethereum'] as const
export type Dialect = (typeof DIALECTS)[number]
