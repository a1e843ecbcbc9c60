/**
 * What the promise gives, if it does within the limit.
 *
 * @param {number} limit milliseconds
 * @param {string} what was waited for
 */
export async function within(promise, limit, what) {
  let timer
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${limit / 1000} s in vain for ${what}`)), limit)
  })
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer))
}
