import { codeAt, proxyOf } from '../chain/node-requests.ts'
import { type StandardInput, standardInput } from '../compiler/standard-json.ts'
import { NodeRequestError, VerificationError } from '../source-error.ts'
import type { VerifiedSource } from '../store/verified-source.ts'
import { MAX_PATIENCE_MS, postingRefused } from '../verification/forwarded-sources.ts'
import { type ApiDeps, type ApiRequest, type ApiResponse, addressOf, contractNameOf, jsonOf } from './api-request.ts'
import { CHAIN_ACTIONS } from './etherscan-chain.ts'

// Texts that tools compare: forge, hardhat-verify, and clients of Etherscan and Blockscout.
const NOT_VERIFIED = 'Contract source code not verified'
const ALREADY_VERIFIED = 'Contract source code already verified'
const PENDING = 'Pending in queue'
const PASSED = 'Pass - Verified'
const FAILED = 'Fail - Unable to verify'

type Parameters = Readonly<Record<string, string>>
type Action = (parameters: Parameters, deps: ApiDeps) => Promise<unknown>

/** A result with the status of a failure, as clients expect it. */
class Refusal extends Error {
  override readonly name = 'Refusal'
}

const SOURCE_ACTIONS: Readonly<Record<string, Action>> = {
  'contract.verifysourcecode': verifySourceCode,
  'contract.checkverifystatus': checkStatus,
  'contract.getabi': async (parameters, deps) => {
    const source = await sourceOf(parameters, deps)
    if (source === undefined) throw new Refusal(NOT_VERIFIED)
    return JSON.stringify(source.contract.abi)
  },
  'contract.getsourcecode': async (parameters, deps) => {
    const source = await sourceOf(parameters, deps)
    return [source === undefined ? UNKNOWN_SOURCE : await sourceEntry(source, deps)]
  },
}

/**
 * Answers a request to `/verify/etherscan/api`, with the parameters and results of Etherscan's API. Every response has
 * the status 200: clients read the member `status`.
 */
export async function answerEtherscan({ method, query, body }: ApiRequest, deps: ApiDeps): Promise<ApiResponse> {
  const form = method === 'POST' ? new URLSearchParams(body) : []
  const parameters = Object.fromEntries([...query, ...form])
  try {
    return { status: 200, body: { status: '1', message: 'OK', result: await run(method, parameters, deps) } }
  } catch (error) {
    return { status: 200, body: { status: '0', message: 'NOTOK', result: refusalText(error, deps) } }
  }
}

async function run(method: string, parameters: Parameters, deps: ApiDeps): Promise<unknown> {
  const { module = '', action = '', chainid = '' } = parameters
  // Some clients send the text undefined.
  if (/^\d+$/.test(chainid) && chainid !== `${deps.chainId}`) {
    throw new Refusal(`Missing or unsupported chainid parameter: this chain is ${deps.chainId}`)
  }
  if (action === 'verifysourcecode' && method !== 'POST') throw new Refusal('verifysourcecode is sent with POST')
  const name = `${module}.${action}`
  if (Object.hasOwn(SOURCE_ACTIONS, name)) return SOURCE_ACTIONS[name]!(parameters, deps)
  if (Object.hasOwn(CHAIN_ACTIONS, name)) return CHAIN_ACTIONS[name]!(parameters, deps.request)
  throw new Refusal('Error! Missing Or invalid Module or Action name')
}

/** Errors of the node's methods have a message for clients. */
function refusalText(error: unknown, { log }: ApiDeps): string {
  if (error instanceof VerificationError && error.code === 'already_verified') return ALREADY_VERIFIED
  const isExpected = error instanceof Refusal || error instanceof VerificationError || error instanceof NodeRequestError
  if (isExpected) return error.message
  log.error({ err: error }, 'a request about sources failed unexpectedly')
  return 'internal error: the log of the node says more'
}

async function sourceOf({ address = '' }: Parameters, { sources }: ApiDeps): Promise<VerifiedSource | undefined> {
  return sources.source(addressOf(address))
}

async function verifySourceCode(parameters: Parameters, { sources, request, mayPost }: ApiDeps): Promise<string> {
  if (!mayPost) throw postingRefused()
  const { contractaddress = '', contractname = '', compilerversion = '' } = parameters
  const address = addressOf(contractaddress)
  if ((await codeAt(request, address)).length === 0) throw new Refusal(`Unable to locate ContractCode at ${address}`)
  const contract = contractNameOf(contractname)
  const input = inputOf(parameters)
  return sources.submit({ address, input, contract, compilerVersion: compilerversion })
}

function inputOf(parameters: Parameters): StandardInput {
  const { codeformat = 'solidity-single-file', sourceCode = '' } = parameters
  if (codeformat === 'solidity-standard-json-input') return standardInput(jsonOf(sourceCode, 'sourceCode'))
  if (codeformat === 'solidity-single-file') return singleFile(parameters)
  throw new VerificationError('unsupported_language', `codeformat ${codeformat.slice(0, 80)} is not supported`)
}

const MAX_LIBRARIES = 10

/** A flattened source, with settings as parameters. */
function singleFile(parameters: Parameters): StandardInput {
  const { sourceCode = '', contractname = '', optimizationUsed, runs = '200', evmversion = '', viaIR } = parameters
  const path = contractNameOf(contractname).path ?? 'contract.sol'
  const libraries: Record<string, string> = {}
  for (let number = 1; number <= MAX_LIBRARIES; number++) {
    const { [`libraryname${number}`]: name, [`libraryaddress${number}`]: address } = parameters
    if (name !== undefined && name !== '' && address !== undefined) libraries[name] = address
  }
  const isDefault = evmversion === '' || evmversion.toLowerCase() === 'default'
  return standardInput({
    language: 'Solidity',
    sources: { [path]: { content: sourceCode } },
    settings: {
      optimizer: { enabled: optimizationUsed === '1', runs: Number(runs) },
      ...(!isDefault && { evmVersion: evmversion }),
      ...(viaIR === 'true' && { viaIR: true }),
      ...(Object.keys(libraries).length > 0 && { libraries: { [path]: libraries } }),
    },
  })
}

/** Waits a moment: clients poll at intervals of seconds. */
async function checkStatus({ guid = '' }: Parameters, { sources }: ApiDeps): Promise<string> {
  const { finishedAt, error } = await sources.job(guid, MAX_PATIENCE_MS)
  if (finishedAt === undefined) throw new Refusal(PENDING)
  if (error === undefined) return PASSED
  throw new Refusal(error.code === 'already_verified' ? 'Already Verified' : `${FAILED}: ${error.message}`)
}

const UNKNOWN_SOURCE = {
  SourceCode: '',
  ABI: NOT_VERIFIED,
  ContractName: '',
  CompilerVersion: '',
  CompilerType: '',
  OptimizationUsed: '',
  Runs: '',
  ConstructorArguments: '',
  EVMVersion: 'Default',
  Library: '',
  ContractFileName: '',
  LicenseType: 'Unknown',
  Proxy: '0',
  Implementation: '',
  SwarmSource: '',
  SimilarMatch: '',
}

async function sourceEntry({ address, input, contract, compilerVersion, creation }: VerifiedSource, deps: ApiDeps) {
  const { optimizer, evmVersion, libraries } = input.settings as {
    readonly optimizer?: { readonly enabled?: boolean; readonly runs?: number }
    readonly evmVersion?: string
    readonly libraries?: Readonly<Record<string, Readonly<Record<string, string>>>>
  }
  const proxy = await proxyOf(deps.request, address)
  const linked = Object.values(libraries ?? {}).flatMap((ofFile) => Object.entries(ofFile))
  return {
    ...UNKNOWN_SOURCE,
    // Doubled braces mark compiler input, single ones sources by path.
    SourceCode: `{${JSON.stringify(input)}}`,
    ABI: JSON.stringify(contract.abi),
    ContractName: contract.name,
    CompilerVersion: `v${compilerVersion}`,
    CompilerType: 'solc',
    OptimizationUsed: optimizer?.enabled === true ? '1' : '0',
    Runs: `${optimizer?.runs ?? 200}`,
    ConstructorArguments: creation.values.constructorArguments?.slice(2) ?? '',
    EVMVersion: evmVersion ?? 'Default',
    Library: linked.map(([name, libraryAddress]) => `${name}:${libraryAddress.replace(/^0x/, '')}`).join(';'),
    ContractFileName: contract.path,
    Proxy: proxy === undefined ? '0' : '1',
    Implementation: proxy?.implementation ?? '',
  }
}
