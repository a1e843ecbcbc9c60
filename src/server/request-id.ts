const ACCEPTED = /^[\w.:-]{1,64}$/

/**
 * Names requests, so that a line in the log can be found from an answer. A client's own name is kept where it can do
 * no harm in a log or a header.
 *
 * @param prefix tells processes apart
 * @example requestIds('4f2a')(undefined) // '4f2a-1'
 */
export function requestIds(prefix: string): (given: string | string[] | undefined) => string {
  let count = 0
  return (given) => {
    if (typeof given === 'string' && ACCEPTED.test(given)) return given
    count += 1
    return `${prefix}-${count.toString(36)}`
  }
}
