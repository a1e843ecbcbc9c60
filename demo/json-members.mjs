/**
 * Removes all members with a name from a JSON value, at any depth.
 *
 * @example without({ blockHash: '0x1', logs: [{ blockHash: '0x1', data: '0x' }] }, 'blockHash') // { logs: [{ data:
 *   '0x' }] }
 */
export function without(value, name) {
  if (Array.isArray(value)) return value.map((item) => without(item, name))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== name)
      .map(([key, member]) => [key, without(member, name)]),
  )
}
