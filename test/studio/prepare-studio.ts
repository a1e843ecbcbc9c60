/** Builds the package if it is not up to date. */
export const { prepare: prepareStudio } = (await import(
  new URL('../../scripts/prepare.mjs', import.meta.url).href
)) as {
  prepare(): void
}
