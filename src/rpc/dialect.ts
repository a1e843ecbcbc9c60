/** Changes answers only, never chain rules (design section 6). */
export const DIALECTS = ['base', 'ethereum'] as const
export type Dialect = (typeof DIALECTS)[number]
