import { ADDRESS_PATTERN, type Schema } from '../http/schema.ts'

/** Maximum number of tokens in a file: each list reads all of them. */
export const MAX_REGISTERED_TOKENS = 1_000

const ADDRESS: Schema = { type: 'string', pattern: ADDRESS_PATTERN }

/** A token of the registry. Descriptions complete the words "must be". */
const REGISTERED_TOKEN: Schema = {
  description: 'an object that names a token',
  type: 'object',
  properties: {
    contract_address: { ...ADDRESS, description: 'the address of the token: 0x and 40 hex digits' },
    chain_id: {
      description:
        'the decimal id of the chain where it is listed, in a string; without it, every chain where it exists',
      type: 'string',
      pattern: '^(0|[1-9][0-9]{0,19})$',
    },
    symbol: { description: 'the symbol, up to 32 characters', type: 'string', pattern: '^\\S(.{0,30}\\S)?$' },
    name: {
      description: 'the name of the underlying equity, up to 256 characters',
      type: 'string',
      pattern: '^\\S(.{0,254}\\S)?$',
    },
    isin: {
      description:
        'an ISIN (ISO 6166): two letters, nine letters or digits, and the check digit that follows from them',
      type: 'string',
      pattern: '^[A-Z]{2}[A-Z0-9]{9}[0-9]$',
    },
    icon_url: {
      description: 'the URL of an image, which begins with https:// or http://; empty or left out: there is none',
      type: 'string',
      pattern: '^(https?://\\S{1,2000})?$',
    },
    nav_feed_address: {
      ...ADDRESS,
      description: 'the address of the price feed of the token, a Chainlink aggregator: 0x and 40 hex digits',
    },
    nav_heartbeat_seconds: {
      description:
        'the longest time between two prices of the feed, in seconds from 1 to 31536000; default 86400. Older prices are stale',
      type: 'integer',
      minimum: 1,
      maximum: 31_536_000,
    },
    supply_includes_multiplier: {
      description:
        'true or false, the default: whether totalSupply() is multiplied already; the token is then listed with the multiplier 1',
      type: 'boolean',
    },
  },
  required: ['contract_address', 'symbol', 'name', 'isin'],
  additionalProperties: false,
}

/** JSON Schema of the file of listed tokens, for publication and validation. */
export const REGISTRY_SCHEMA: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Registry of tokenized stocks',
  description: 'an object with a list of tokens',
  type: 'object',
  properties: {
    $schema: { description: 'the place of this schema, for editors', type: 'string' },
    discover: {
      description: 'true, the default, or false: whether the stocks of the factory are listed besides',
      type: 'boolean',
    },
    tokens: {
      description: `an array of at most ${MAX_REGISTERED_TOKENS} tokens, in the order in which they are listed`,
      type: 'array',
      maxItems: MAX_REGISTERED_TOKENS,
      items: REGISTERED_TOKEN,
    },
  },
  required: ['tokens'],
  additionalProperties: false,
}
