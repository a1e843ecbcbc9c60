const ACCEPTED = /^[\w.:-]{1,64}$/

/**
 * Assigns request ids, so that log lines can be matched to responses. A client's own id is used if it is safe in logs
 * and headers.
 *
 * @param prefix of the process
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
