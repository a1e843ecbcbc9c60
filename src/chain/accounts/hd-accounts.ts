import { privateKeyToAddress } from '../../primitives/secp256k1/secp256k1.ts'
import {
  DEVELOPMENT_ACCOUNTS,
  DEVELOPMENT_MNEMONIC,
  DEVELOPMENT_PATH,
  type DevelopmentAccount,
} from './development-accounts.ts'

export interface HdAccountOptions {
  /** BIP-39 phrase, no passphrase. */
  readonly mnemonic: string
  /** BIP-32 path of the accounts' parent: account i has the path with i appended. */
  readonly derivationPath: string
  readonly accounts: number
}

/** A phrase or path that yields no keys; the message says what is wrong. */
export class HdAccountError extends Error {
  readonly code = 'INVALID_MNEMONIC'
  override readonly name = 'HdAccountError'
}

/** Number of words of a phrase, by bits of entropy. */
const STRENGTHS = new Map([
  [12, 128],
  [15, 160],
  [18, 192],
  [21, 224],
  [24, 256],
])

/** Words that a random phrase may have. */
export const PHRASE_LENGTHS: readonly number[] = [...STRENGTHS.keys()]

/**
 * The first accounts of a phrase, in the order of their index.
 *
 * @throws HdAccountError
 * @example (await hdAccounts({ mnemonic: DEVELOPMENT_MNEMONIC, derivationPath: DEVELOPMENT_PATH, accounts: 10 }))[0]
 */
export async function hdAccounts(options: HdAccountOptions): Promise<readonly DevelopmentAccount[]> {
  const mnemonic = options.mnemonic.trim().split(/\s+/).join(' ')
  const { accounts } = options
  const path = options.derivationPath.replace(/\/$/, '')
  const isUsual = mnemonic === DEVELOPMENT_MNEMONIC && path === DEVELOPMENT_PATH.replace(/\/$/, '')
  if (isUsual && accounts <= DEVELOPMENT_ACCOUNTS.length) return DEVELOPMENT_ACCOUNTS.slice(0, accounts)
  // Loaded on demand: the usual accounts are constants.
  const [{ HDKey }, bip39, { wordlist }] = await Promise.all([
    import('@scure/bip32'),
    import('@scure/bip39'),
    import('@scure/bip39/wordlists/english.js'),
  ])
  if (!bip39.validateMnemonic(mnemonic, wordlist)) {
    throw new HdAccountError(
      'the mnemonic is no BIP-39 phrase: 12 to 24 English words, the last of which is a checksum',
    )
  }
  if (!/^m(\/[0-9]{1,10}'?)*$/.test(path)) {
    throw new HdAccountError(
      `the derivation path ${options.derivationPath} is none: write it as in ${DEVELOPMENT_PATH}`,
    )
  }
  const parent = HDKey.fromMasterSeed(bip39.mnemonicToSeedSync(mnemonic)).derive(path)
  return Array.from({ length: accounts }, (_, index) => {
    const { privateKey } = parent.deriveChild(index)
    return { address: privateKeyToAddress(privateKey!), privateKey: Uint8Array.from(privateKey!) }
  })
}

/** A random BIP-39 phrase. @param words one of `PHRASE_LENGTHS` */
export async function randomMnemonic(words: number): Promise<string> {
  const [{ generateMnemonic }, { wordlist }] = await Promise.all([
    import('@scure/bip39'),
    import('@scure/bip39/wordlists/english.js'),
  ])
  return generateMnemonic(wordlist, STRENGTHS.get(words)!)
}
