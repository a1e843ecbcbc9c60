import { REGISTRY_SCHEMA } from '../../rest/tokenized-stocks/registry-schema.ts'

/** `docs/stocks-registry.schema.json`: schema of the stock registry. */
export function registrySchemaPage(): string {
  return `${JSON.stringify(REGISTRY_SCHEMA, undefined, 2)}\n`
}
