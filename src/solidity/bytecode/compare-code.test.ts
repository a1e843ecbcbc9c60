import { describe, expect, test } from 'vitest'
import { compileHere, inputOf } from '../../../test/support/solidity-sources.ts'
import { bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { areConstructorArguments } from '../../sources/verification/constructor-arguments.ts'
import { codeTemplate } from './code-template.ts'
import { matchCreationCode, matchRuntimeCode } from './compare-code.ts'

const LIBRARY = `0x${'11'.repeat(20)}`
const OWNER = `0x${'22'.repeat(20)}`
const FEE = 30n
/** The arguments (30, "vault"). */
const ARGUMENTS = hexToBytes(
  `0x${[FEE, 64n, 5n].map((word) => word.toString(16).padStart(64, '0')).join('')}${Buffer.from('vault').toString('hex').padEnd(64, '0')}`,
)
const commented = (text: string) => `${text}// one more comment\n`

async function compiled(path: string, name: string, ...parameters: Parameters<typeof inputOf>) {
  const { contract } = await compileHere({ input: inputOf(...parameters), contract: { path, name } })
  return {
    abi: contract.abi,
    creation: codeTemplate(contract.bytecode)!,
    runtime: codeTemplate(contract.deployedBytecode)!,
  }
}

/** The code of a vault on a chain: linked, with its immutables. */
function deployedVault({ code, libraries, immutables }: Awaited<ReturnType<typeof compiled>>['runtime']) {
  const deployed = Uint8Array.from(code)
  for (const { start } of libraries) deployed.set(hexToBytes(LIBRARY), start)
  const [owner] = immutables
  for (const { name, start } of immutables) {
    const value = name === owner!.name ? OWNER.slice(2) : FEE.toString(16)
    deployed.set(hexToBytes(`0x${value.padStart(64, '0')}`), start)
  }
  return deployed
}

describe('matchRuntimeCode', () => {
  test('a linked contract with immutables matches exactly, with the values of both', async () => {
    const { runtime } = await compiled('src/Vault.sol', 'Vault')

    const found = matchRuntimeCode(runtime, deployedVault(runtime))

    expect(found).toMatchObject({ match: 'exact_match', values: { libraries: { 'src/Shares.sol:Shares': LIBRARY } } })
    expect(Object.values(found!.values.immutables!).map(BigInt)).toEqual([BigInt(OWNER), FEE])
  })

  test('sources with another comment match, but not exactly', async () => {
    const { runtime } = await compiled('src/Vault.sol', 'Vault')
    const other = await compiled('src/Vault.sol', 'Vault', {}, commented)

    const found = matchRuntimeCode(other.runtime, deployedVault(runtime))

    expect(found?.match).toBe('match')
    expect(found?.transformations.at(-1)).toMatchObject({ reason: 'cborAuxdata', id: '1' })
  })

  test('the metadata of a contract that the code creates counts as well', async () => {
    const { runtime } = await compiled('src/Factory.sol', 'Factory')
    const other = await compiled('src/Factory.sol', 'Factory', {}, commented)

    expect(runtime.metadata).toHaveLength(2)
    expect(matchRuntimeCode(runtime, runtime.code)?.match).toBe('exact_match')
    expect(matchRuntimeCode(other.runtime, runtime.code)?.match).toBe('match')
  })

  test('a library matches with its own address in its code', async () => {
    const { runtime } = await compiled('src/Shares.sol', 'Shares')
    const deployed = Uint8Array.from(runtime.code)
    deployed.set(hexToBytes(LIBRARY), 1)

    expect(matchRuntimeCode(runtime, deployed)).toMatchObject({
      match: 'exact_match',
      values: { callProtection: LIBRARY },
    })
  })

  test.each([
    ['no hash', { metadata: { bytecodeHash: 'none' } }],
    ['no metadata', { metadata: { appendCBOR: false, bytecodeHash: 'none' } }],
  ])('equal code with %s of the metadata is no exact match', async (_, settings) => {
    const { runtime } = await compiled('src/Proxy.sol', 'Proxy', settings)
    expect(matchRuntimeCode(runtime, runtime.code)?.match).toBe('match')
  })

  test('code that differs in one instruction does not match', async () => {
    const { runtime } = await compiled('src/Proxy.sol', 'Proxy')
    for (const at of [0, 20, runtime.metadata[0]!.start - 1]) {
      const deployed = Uint8Array.from(runtime.code)
      deployed[at]! ^= 1
      expect(matchRuntimeCode(runtime, deployed)).toBeUndefined()
    }
    expect(matchRuntimeCode(runtime, runtime.code.subarray(1))).toBeUndefined()
  })

  test('code in the place of metadata does not match', async () => {
    const { runtime } = await compiled('src/Proxy.sol', 'Proxy')
    const deployed = Uint8Array.from(runtime.code)
    deployed.fill(0x5b, runtime.metadata[0]!.start)

    expect(matchRuntimeCode(runtime, deployed)).toBeUndefined()
  })
})

describe('a constant that looks like metadata', () => {
  const VERSION = 'a164736f6c6343000818000a'
  const OTHER_VERSION = 'a164736f6c6343000819000a'

  async function crafted(language: 'Solidity' | 'Yul', content: string) {
    const input = { language, sources: { 'a.sol': { content } }, settings: {} } as const
    return codeTemplate((await compileHere({ input, contract: { name: 'A' } })).contract.deployedBytecode)!
  }

  test.each([
    ['a version', `bytes12 constant X = hex"${VERSION}"; function x() external pure returns (bytes12) { return X; }`],
    [
      'the metadata of another contract',
      `function x() external pure returns (bytes memory) { return hex"a164736f6c6343000818000a${'00'.repeat(30)}"; }`,
    ],
  ])('is compared with the rest of the code: %s', async (_, body) => {
    const template = await crafted('Solidity', `contract A { ${body} }`)
    const digits = Buffer.from(template.code).toString('hex')
    expect(digits).toContain(VERSION)

    const deployed = hexToBytes(`0x${digits.replace(VERSION, OTHER_VERSION)}`)

    expect(matchRuntimeCode(template, deployed)).toBeUndefined()
  })

  test('gives no exact match to code without metadata', async () => {
    const hash = `a2646970667358221220${'11'.repeat(32)}64736f6c63430008180033`
    const content = `object "A" { code { datacopy(0, dataoffset("A_deployed"), datasize("A_deployed"))
      return(0, datasize("A_deployed")) } object "A_deployed" { code { datacopy(0, dataoffset("d"), datasize("d"))
      return(0, datasize("d")) } data "d" hex"${hash}" } }`
    const template = await crafted('Yul', content)
    const digits = Buffer.from(template.code).toString('hex')
    expect(digits).toContain(hash)

    expect(matchRuntimeCode(template, template.code)?.match).toBe('match')
    expect(matchRuntimeCode(template, hexToBytes(`0x${digits.replace('11'.repeat(32), '22'.repeat(32))}`))).toBe(
      undefined,
    )
  })
})

describe('matchCreationCode', () => {
  test('the constructor arguments are those behind the code', async () => {
    const { creation, abi } = await compiled('src/Vault.sol', 'Vault')
    const sent = Buffer.concat([
      deployedVault({ ...creation, immutables: [], libraries: creation.libraries }),
      ARGUMENTS,
    ])

    const found = matchCreationCode(creation, sent, (bytes) => areConstructorArguments(abi, bytes))

    expect(found).toMatchObject({ match: 'exact_match', values: { constructorArguments: bytesToHex(ARGUMENTS) } })
  })

  test.each([
    ['is missing', ARGUMENTS.subarray(0, 0)],
    ['is cut off', ARGUMENTS.subarray(0, -1)],
    ['is followed by more', Buffer.concat([ARGUMENTS, new Uint8Array(32)])],
  ])('the encoding of the arguments %s: no match', async (_, bytes) => {
    const { abi } = await compiled('src/Vault.sol', 'Vault')
    expect(areConstructorArguments(abi, bytes)).toBe(false)
  })

  test('a constructor without parameters has no arguments', async () => {
    const { abi } = await compiled('src/Factory.sol', 'Factory')
    expect([new Uint8Array(0), new Uint8Array(32)].map((bytes) => areConstructorArguments(abi, bytes))).toEqual([
      true,
      false,
    ])
  })
})
