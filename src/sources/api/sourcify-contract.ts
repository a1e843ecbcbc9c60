import { bytesToHex } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { type CompiledCode, codeTemplate } from '../../solidity/bytecode/code-template.ts'
import { codeAt, proxyOf } from '../chain/node-requests.ts'
import { VerificationError } from '../source-error.ts'
import { bestMatch, type ComparedCode, type SourceSummary, type VerifiedSource } from '../store/verified-source.ts'
import type { ApiDeps } from './api-request.ts'

type Fields = Readonly<Record<string, unknown>>
type Field = (source: VerifiedSource, deps: ApiDeps) => unknown

/** Members of a contract besides those that it always has. */
const FIELDS: Readonly<Record<string, Field>> = {
  creationBytecode: ({ contract, creation, deployment }) => ({
    onchainBytecode: deployment?.creationCode ?? null,
    ...codeFields(contract.bytecode, creation),
  }),
  runtimeBytecode: async ({ address, contract, runtime }, { request }) => ({
    onchainBytecode: bytesToHex(await codeAt(request, address)),
    ...codeFields(contract.deployedBytecode, runtime),
    immutableReferences: contract.deployedBytecode.immutableReferences ?? {},
  }),
  deployment: ({ deployment }) => ({
    transactionHash: deployment?.transactionHash ?? null,
    blockNumber: numberText(deployment?.blockNumber),
    transactionIndex: numberText(deployment?.transactionIndex),
    deployer: deployment?.deployer ?? null,
  }),
  sources: ({ input }) => input.sources,
  compilation: ({ input, contract, compilerVersion }) => ({
    language: input.language,
    compiler: 'solc',
    compilerVersion,
    compilerSettings: input.settings,
    name: contract.name,
    fullyQualifiedName: `${contract.path}:${contract.name}`,
  }),
  abi: ({ contract }) => contract.abi,
  userdoc: ({ contract }) => contract.userdoc ?? null,
  devdoc: ({ contract }) => contract.devdoc ?? null,
  storageLayout: ({ contract }) => contract.storageLayout ?? null,
  metadata: ({ contract }) => (contract.metadata === undefined ? null : JSON.parse(contract.metadata)),
  sourceIds: ({ contract }) => sourceIdObjects(contract.sourceIds),
  signatures: ({ contract }) => signaturesOf(contract.abi),
  stdJsonInput: ({ input }) => input,
  stdJsonOutput: ({ contract }) => ({
    sources: sourceIdObjects(contract.sourceIds, contract.trees),
    ...(contract.leftOut !== undefined && { leftOut: contract.leftOut }),
    contracts: { [contract.path]: { [contract.name]: outputOf(contract) } },
  }),
  proxyResolution: async ({ address }, { request }) => {
    const proxy = await proxyOf(request, address)
    const implementations = proxy === undefined ? [] : [{ address: proxy.implementation }]
    return { isProxy: proxy !== undefined, proxyType: proxy?.kind ?? null, implementations }
  },
}

function sourceIdObjects(sourceIds: Readonly<Record<string, number>>, trees: Fields = {}): Fields {
  const entries = Object.entries(sourceIds)
  return Object.fromEntries(
    entries.map(([path, id]) => [path, { id, ...(Object.hasOwn(trees, path) && { ast: trees[path] }) }]),
  )
}

function withoutPlaces({ metadata: _, ...code }: CompiledCode): CompiledCode {
  return code
}

function outputOf({
  abi,
  metadata,
  userdoc,
  devdoc,
  storageLayout,
  bytecode,
  deployedBytecode,
}: VerifiedSource['contract']) {
  return {
    abi,
    metadata,
    userdoc,
    devdoc,
    storageLayout,
    evm: { bytecode: withoutPlaces(bytecode), deployedBytecode: withoutPlaces(deployedBytecode) },
  }
}

function numberText(value: number | null | undefined): string | null {
  return value === null || value === undefined ? null : `${value}`
}

function codeFields(compiled: CompiledCode, { transformations, values }: ComparedCode): Fields {
  const { code, metadata } = codeTemplate(compiled) ?? { code: new Uint8Array(0), metadata: [] }
  const sections = metadata.map(({ start, length }, index) => [
    `${index + 1}`,
    { offset: start, value: bytesToHex(code.subarray(start, start + length)) },
  ])
  return {
    recompiledBytecode: `0x${compiled.object}`,
    sourceMap: compiled.sourceMap ?? null,
    linkReferences: compiled.linkReferences ?? {},
    cborAuxdata: Object.fromEntries(sections),
    transformations,
    transformationValues: values,
  }
}

interface AbiEntry {
  readonly type: string
  readonly name?: string
  readonly inputs?: readonly AbiInput[]
}

interface AbiInput {
  readonly type: string
  readonly components?: readonly AbiInput[]
}

function signaturesOf(abi: readonly AbiEntry[]): Fields {
  const of = (kind: string) =>
    abi
      .filter(({ type }) => type === kind)
      .map(({ name, inputs = [] }) => {
        const signature = `${name}(${inputs.map(typeText).join()})`
        const hash = keccakHash(Buffer.from(signature))
        return { signature, signatureHash32: hash, signatureHash4: hash.slice(0, 10) }
      })
  return { function: of('function'), event: of('event'), error: of('error') }
}

function typeText({ type, components = [] }: AbiInput): string {
  return type.startsWith('tuple') ? `(${components.map(typeText).join()})${type.slice('tuple'.length)}` : type
}

/** Fields of a request, as paths: `abi`, `compilation.name`. */
export interface SelectedFields {
  readonly names: readonly string[]
  readonly isOmitting: boolean
}

/** @throws VerificationError `invalid_parameter` */
export function selectedFields(fields: string | null, omit: string | null): SelectedFields {
  if (fields !== null && omit !== null) throw invalid('fields and omit cannot be combined')
  const names = (omit ?? fields ?? '').split(',').filter((name) => name !== '')
  const unknown = names.find(
    (name) => name !== 'all' && !MINIMAL.has(rootOf(name)) && !Object.hasOwn(FIELDS, rootOf(name)),
  )
  if (unknown !== undefined) throw invalid(`the field ${unknown.slice(0, 80)} is unknown`)
  return { names, isOmitting: omit !== null }
}

const MINIMAL = new Set(['match', 'creationMatch', 'runtimeMatch', 'chainId', 'address', 'verifiedAt', 'matchId'])

function rootOf(path: string): string {
  return path.split('.', 1)[0]!
}

function invalid(message: string): VerificationError {
  return new VerificationError('invalid_parameter', message)
}

/** The members that a contract always has. */
export function minimalContract(source: SourceSummary, chainId: bigint): Fields {
  return {
    match: bestMatch(source),
    creationMatch: source.creation.match,
    runtimeMatch: source.runtime.match,
    chainId: `${chainId}`,
    address: source.address,
    verifiedAt: source.verifiedAt,
    matchId: source.address,
  }
}

/** A contract with the chosen fields. */
export async function contractFields(
  source: VerifiedSource,
  { names, isOmitting }: SelectedFields,
  deps: ApiDeps,
): Promise<Fields> {
  const isAll = isOmitting || names.includes('all')
  const minimal = minimalContract(source, deps.chainId)
  const roots = Object.keys(FIELDS).filter((name) =>
    isAll ? !(isOmitting && names.includes(name)) : names.some((path) => rootOf(path) === name),
  )
  const entries = await Promise.all(
    roots.map(async (name) => {
      const value = await FIELDS[name]!(source, deps)
      const members = isAll
        ? []
        : names.filter((path) => path.startsWith(`${name}.`)).map((path) => path.slice(name.length + 1))
      return [name, members.length === 0 ? value : picked(value as Fields, members)] as const
    }),
  )
  return { ...minimal, ...Object.fromEntries(entries) }
}

function picked(value: Fields, members: readonly string[]): Fields {
  return Object.fromEntries(members.filter((name) => Object.hasOwn(value, name)).map((name) => [name, value[name]]))
}
