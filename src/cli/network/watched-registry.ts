import type { Logger } from 'pino'
import type { Registry } from '../../rest/tokenized-stocks/registry.ts'

/**
 * The registry as its file says it at any time; SIGHUP has it read at once.
 *
 * @param path `undefined`: there is none
 * @throws RegistryError that names file, line and column
 */
export async function watchedRegistry(path: string | undefined, log: Logger): Promise<(() => Registry) | undefined> {
  if (path === undefined) return undefined
  // Its parser is loaded by who has a registry.
  const { RegistryFile } = await import('./registry-file.ts')
  const file = new RegistryFile({ path }, { log })
  process.on('SIGHUP', () => file.reload())
  return () => file.registry
}
