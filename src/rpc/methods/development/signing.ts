import { signTransaction } from '../../../chain/transaction/transaction-codec.ts'
import { developmentOf } from '../../../node/roles/node-handle.ts'
import { type Address, type Bytes, bytesToHex, type Hex } from '../../../primitives/hex.ts'
import { keccak256 } from '../../../primitives/keccak.ts'
import { bigintToWord } from '../../../primitives/quantity.ts'
import { sign } from '../../../primitives/secp256k1/secp256k1.ts'
import { address, data } from '../../codecs/bytes.ts'
import { callObject } from '../../codecs/call-object.ts'
import { InvalidValueError } from '../../codecs/codec.ts'
import { formatPooledTransaction } from '../../format/transaction.ts'
import { RPC_CODES, RpcError, unknownAccount } from '../../protocol/errors.ts'
import { type DevelopmentCall, defineDevelopmentMethod } from '../../registry/development-method.ts'
import { requiredParam } from '../../registry/method.ts'
import { fillRequest } from '../../sending/fill-request.ts'
import { unsignedTransaction } from '../../sending/unsigned-transaction.ts'
import { type TypedData, typedDataHash } from '../../signing/typed-data.ts'
import { typedData } from '../../signing/typed-data-codec.ts'
import { checkVersion3 } from '../../signing/version-3.ts'

export const eth_sign = defineDevelopmentMethod({
  name: 'eth_sign',
  effect: 'none',
  // Base's nodes do not have the method. In their dialect it is unknown, so that clients sign by themselves.
  dialect: 'ethereum',
  summary: 'Signs a message with the key of an account (EIP-191).',
  params: [requiredParam('address', address), requiredParam('message', data)],
  result: data.schema,
  cost: 5,
  handle: ([account, message], call) => signatureOf(messageHash(message), signerOf(account, call).key),
})

export const personal_sign = defineDevelopmentMethod({
  name: 'personal_sign',
  effect: 'none',
  summary: 'As eth_sign, with the parameters in the other order.',
  params: [requiredParam('message', data), requiredParam('address', address)],
  result: data.schema,
  cost: 5,
  handle: ([message, account], call) => signatureOf(messageHash(message), signerOf(account, call).key),
})

export const eth_signTypedData_v4 = typedDataMethod('eth_signTypedData_v4', {
  summary: 'Signs structured data with the key of an account (EIP-712).',
})

export const eth_signTypedData = typedDataMethod('eth_signTypedData', {
  summary: 'As eth_signTypedData_v4: the name of the method in EIP-712.',
})

export const eth_signTypedData_v3 = typedDataMethod('eth_signTypedData_v3', {
  summary: 'As eth_signTypedData_v4, without arrays, recursive types and missing structs.',
  check: checkVersion3,
})

export const eth_signTransaction = defineDevelopmentMethod({
  name: 'eth_signTransaction',
  effect: 'none',
  // Base's nodes do not have the method. In their dialect it is unknown, so that clients sign by themselves.
  dialect: 'ethereum',
  summary: 'Fills in and signs a transaction with the key of its sender. With --compat anvil only its bytes.',
  params: [requiredParam('transaction', callObject)],
  result: { oneOf: [{ type: 'object', required: ['raw', 'tx'] }, data.schema] },
  cost: 100,
  async handle([request], call) {
    const { conventions, context } = call
    const { from, key } = signerOf(request.from ?? developmentOf(context.node)?.accounts.signers[0], call)
    const filled = await fillRequest({ ...request, from }, conventions, context)
    const nonce = request.nonce ?? context.view.pendingNonce(from)
    const transaction = signTransaction(unsignedTransaction(filled, nonce, context.config.chainId), key)
    const raw = bytesToHex(transaction.raw)
    if (conventions.sending.signsToBytes) return raw
    const { blockHash, blockNumber, blockTimestamp, transactionIndex, ...tx } = formatPooledTransaction(transaction)
    return { raw, tx }
  },
})

/** @param traits.check throws an InvalidValueError for data that the method does not sign */
function typedDataMethod(
  name: string,
  { summary, check }: { readonly summary: string; readonly check?: (structured: TypedData) => void },
) {
  return defineDevelopmentMethod({
    name,
    effect: 'none',
    summary,
    params: [requiredParam('address', address), requiredParam('data', typedData)],
    result: data.schema,
    cost: 5,
    handle: ([account, structured], call) => signatureOf(hashOf(structured, check), signerOf(account, call).key),
  })
}

interface Signer {
  readonly from: Address
  readonly key: Bytes
}

/** @throws RpcError when there is no key: an impersonated account cannot sign */
function signerOf(account: Address | undefined, { context }: DevelopmentCall): Signer {
  const key = account && developmentOf(context.node)?.accounts.keyOf(account)
  if (account === undefined || key === undefined) throw unknownAccount(account)
  return { from: account, key }
}

/** Index of the data in the parameters. */
const DATA_INDEX = 1

/** @throws RpcError when a value does not have its type, or is refused by the check */
function hashOf(structured: TypedData, check?: (structured: TypedData) => void): Bytes {
  try {
    check?.(structured)
    return typedDataHash(structured)
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error
    throw new RpcError(RPC_CODES.invalidParams, `invalid argument ${DATA_INDEX}: ${error.text}`, undefined, {
      kind: 'invalidParams',
    })
  }
}

/** The hash of a message that a person signs (EIP-191, version 0x45). */
function messageHash(message: Bytes): Bytes {
  return keccak256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`), message]))
}

/** A signature as wallets return it: `r`, `s` and 27 or 28, 65 bytes. */
function signatureOf(hash: Bytes, privateKey: Bytes): Hex {
  const { r, s, yParity } = sign(hash, privateKey)
  return bytesToHex(Buffer.concat([bigintToWord(r), bigintToWord(s), Uint8Array.of(27 + yParity)]))
}
