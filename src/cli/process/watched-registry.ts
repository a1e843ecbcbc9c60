import type { Logger } from 'pino'
import type { Registry } from '../../rest/tokenized-stocks/registry.ts'

/**
 * Watches the registry file; SIGHUP reloads it immediately.
 *
 * @param path `undefined`: no registry
 * @throws RegistryError that names file, line and column
 */
export async function watchedRegistry(path: string | undefined, log: Logger): Promise<(() => Registry) | undefined> {
  if (path === undefined) return undefined
  // The parser is loaded only when there is a registry.
  const { RegistryFile } = await import('../../service/serving/registry-file.ts')
  const file = new RegistryFile({ path }, { log })
  process.on('SIGHUP', () => file.reload())
  return () => file.registry
}
