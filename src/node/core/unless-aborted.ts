/**
 * Settles as `work` does, or at once when somebody does not want it any more.
 *
 * @param late takes what comes after that: somebody has to give it back
 * @throws what `work` throws, or the reason of `signal`
 */
export async function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
  late: (result: Result) => void = () => undefined,
): Promise<Result> {
  if (signal === undefined) return work
  let giveUp = () => {}
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason)
  })
  signal.addEventListener('abort', giveUp)
  if (signal.aborted) giveUp()
  try {
    return await Promise.race([work, aborted])
  } catch (error) {
    work.then(late, () => undefined)
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
