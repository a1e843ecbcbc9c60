import type { Bytes } from '../../primitives/hex.ts'
import { decodeRlp, RlpError, type RlpItem } from '../../primitives/rlp.ts'
import type { Signature } from '../../primitives/secp256k1/secp256k1.ts'
import {
  readAddress,
  readBoolean,
  readBytes,
  readHash,
  readList,
  readRecipient,
  readUint64,
  readUint256,
} from '../rlp-fields.ts'
import { type AccessListItem, type Authorization, DEPOSIT_TYPE } from './transaction.ts'
import { TransactionDecodeError } from './transaction-decode-error.ts'
import type { TransactionFields } from './transaction-payload.ts'

/**
 * Decodes the members of a transaction from its EIP-2718 bytes.
 *
 * @throws RlpError or TransactionDecodeError
 */
export function readTransaction(raw: Bytes): TransactionFields {
  const type = raw[0]
  if (type === undefined) throw new TransactionDecodeError('EMPTY', 'empty transaction data')
  if (type >= 0xc0) return decodeLegacy(decodeRlp(raw))
  if (type >= 0x80) throw new RlpError('a transaction is a list or starts with its type')
  if (type === 0 || (type > 4 && type !== DEPOSIT_TYPE)) {
    throw new TransactionDecodeError('TYPE_NOT_SUPPORTED', 'transaction type not supported')
  }
  if (raw.length === 1) throw new TransactionDecodeError('TOO_SHORT', 'typed transaction too short')
  const item = decodeRlp(raw.subarray(1))
  switch (type) {
    case 1:
      return decodeAccessList(item)
    case 2:
      return decodeDynamicFee(item)
    case 3:
      return decodeBlob(item)
    case 4:
      return decodeSetCode(item)
    default:
      return decodeDeposit(item)
  }
}

function decodeLegacy(item: RlpItem): TransactionFields {
  const list = readList(item, 'a transaction', [9])
  const v = readUint256(list[6], 'v')
  const isProtected = v >= 35n
  if (!isProtected && v !== 27n && v !== 28n) throw invalidSignatureValues()
  return {
    type: 0,
    chainId: isProtected ? (v - 35n) / 2n : undefined,
    nonce: readUint64(list[0], 'nonce'),
    gasPrice: readUint256(list[1], 'gasPrice'),
    gasLimit: readUint64(list[2], 'gas'),
    to: readRecipient(list[3], 'to'),
    value: readUint256(list[4], 'value'),
    data: readBytes(list[5], 'data'),
    signature: readSignature(isProtected ? (v - 35n) % 2n : v - 27n, list[7], list[8]),
  }
}

function decodeAccessList(item: RlpItem): TransactionFields {
  const list = readList(item, 'an access list transaction', [11])
  return {
    type: 1,
    chainId: readUint64(list[0], 'chainId'),
    nonce: readUint64(list[1], 'nonce'),
    gasPrice: readUint256(list[2], 'gasPrice'),
    gasLimit: readUint64(list[3], 'gas'),
    to: readRecipient(list[4], 'to'),
    value: readUint256(list[5], 'value'),
    data: readBytes(list[6], 'data'),
    accessList: readAccessList(list[7]),
    signature: readSignature(readUint256(list[8], 'yParity'), list[9], list[10]),
  }
}

function decodeDynamicFee(item: RlpItem): TransactionFields {
  const list = readList(item, 'a dynamic fee transaction', [12])
  return {
    type: 2,
    ...readDynamicFee(list),
    to: readRecipient(list[5], 'to'),
    signature: readSignature(readUint256(list[9], 'yParity'), list[10], list[11]),
  }
}

function decodeBlob(item: RlpItem): TransactionFields {
  const list = readList(item, 'a blob transaction', [14])
  return {
    type: 3,
    ...readDynamicFee(list),
    to: readAddress(list[5], 'to'),
    maxFeePerBlobGas: readUint256(list[9], 'maxFeePerBlobGas'),
    blobVersionedHashes: readList(list[10], 'blobVersionedHashes').map((hash) => readHash(hash, 'a versioned hash')),
    signature: readSignature(readUint256(list[11], 'yParity'), list[12], list[13]),
  }
}

function decodeSetCode(item: RlpItem): TransactionFields {
  const list = readList(item, 'a set code transaction', [13])
  return {
    type: 4,
    ...readDynamicFee(list),
    to: readAddress(list[5], 'to'),
    authorizationList: readList(list[9], 'authorizationList').map(readAuthorization),
    signature: readSignature(readUint256(list[10], 'yParity'), list[11], list[12]),
  }
}

function decodeDeposit(item: RlpItem): TransactionFields {
  const list = readList(item, 'a deposit transaction', [8])
  return {
    type: DEPOSIT_TYPE,
    sourceHash: readHash(list[0], 'sourceHash'),
    from: readAddress(list[1], 'from'),
    to: readRecipient(list[2], 'to'),
    mint: readUint256(list[3], 'mint'),
    value: readUint256(list[4], 'value'),
    gasLimit: readUint64(list[5], 'gas'),
    isSystemTransaction: readBoolean(list[6], 'isSystemTx'),
    data: readBytes(list[7], 'data'),
  }
}

function readDynamicFee(list: readonly RlpItem[]) {
  return {
    chainId: readUint64(list[0], 'chainId'),
    nonce: readUint64(list[1], 'nonce'),
    maxPriorityFeePerGas: readUint256(list[2], 'maxPriorityFeePerGas'),
    maxFeePerGas: readUint256(list[3], 'maxFeePerGas'),
    gasLimit: readUint64(list[4], 'gas'),
    value: readUint256(list[6], 'value'),
    data: readBytes(list[7], 'data'),
    accessList: readAccessList(list[8]),
  }
}

function readAccessList(item: RlpItem | undefined): readonly AccessListItem[] {
  return readList(item, 'accessList').map((entry) => {
    const [address, keys] = readList(entry, 'an access list item', [2])
    return {
      address: readAddress(address, 'address of an access list item'),
      storageKeys: readList(keys, 'storageKeys').map((key) => readHash(key, 'a storage key')),
    }
  })
}

function readAuthorization(item: RlpItem): Authorization {
  const list = readList(item, 'an authorization', [6])
  const yParity = readUint256(list[3], 'yParity of an authorization')
  if (yParity > 255n) throw new RlpError('yParity of an authorization has more than 8 bits')
  return {
    chainId: readUint256(list[0], 'chainId of an authorization'),
    address: readAddress(list[1], 'address of an authorization'),
    nonce: readUint64(list[2], 'nonce of an authorization'),
    yParity: Number(yParity),
    r: readUint256(list[4], 'r of an authorization'),
    s: readUint256(list[5], 's of an authorization'),
  }
}

function readSignature(yParity: bigint, r: RlpItem | undefined, s: RlpItem | undefined): Signature {
  if (yParity > 1n) throw invalidSignatureValues()
  return { r: readUint256(r, 'r'), s: readUint256(s, 's'), yParity: yParity === 1n ? 1 : 0 }
}

function invalidSignatureValues(): TransactionDecodeError {
  return new TransactionDecodeError('INVALID_SIGNATURE', 'invalid sender: invalid transaction v, r, s values')
}
