/**
 * Rejects if the promise does not settle in time.
 *
 * @param {number} limit milliseconds
 * @param {string} what describes the promise in the error
 */
export async function within(promise, limit, what) {
  let timer
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`timed out after ${limit / 1000} s waiting for ${what}`)), limit)
  })
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer))
}
