/** Style of responses: `base` answers as reth on Base does, `ethereum` as go-ethereum. Never changes chain rules. */
export const DIALECTS = ['base', 'ethereum'] as const
export type Dialect = (typeof DIALECTS)[number]
