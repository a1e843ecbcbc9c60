export const { seededRandom } = (await import(new URL('./seeded-random.mjs', import.meta.url).href)) as {
  /** Numbers in [0, 1) that are the same in every run. */
  seededRandom(seed: number): () => number
}
