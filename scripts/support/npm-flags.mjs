/** Flags of `tickertape start` that people type after `npm start`. None is a setting of npm itself. */
const FLAGS = ['chain-id', 'compat', 'datadir', 'ephemeral', 'fork-url', 'genesis', 'mining', 'nats', 'port', 'profile']

/**
 * Flags that npm kept as settings of its own, because `--` did not stand before them (`npm start --ephemeral`).
 *
 * @param {Readonly<Record<string, string | undefined>>} env of a script that npm runs
 * @returns {string[]}
 */
export function flagsKeptByNpm(env) {
  return FLAGS.filter((flag) => env[`npm_config_${flag.replaceAll('-', '_')}`] !== undefined).map((flag) => `--${flag}`)
}
