import type { Header } from '../../chain/block/header.ts'
import { bytesToHex, type Hash } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'

/** Encodes the members of a block object as `formatHeader` does, without braces. No member needs escaping. */
export function headerJson(header: Header, hash: Hash): string {
  const { baseFeePerGas, withdrawalsRoot, blobGasUsed, excessBlobGas, parentBeaconBlockRoot, requestsHash } = header
  const upToParis =
    `"number":"${toQuantity(header.number)}","hash":"${hash}","parentHash":"${header.parentHash}",` +
    `"nonce":"${bytesToHex(header.nonce)}","sha3Uncles":"${header.sha3Uncles}",` +
    `"logsBloom":"${bytesToHex(header.logsBloom)}","transactionsRoot":"${header.transactionsRoot}",` +
    `"stateRoot":"${header.stateRoot}","receiptsRoot":"${header.receiptsRoot}","miner":"${header.miner}",` +
    `"difficulty":"${toQuantity(header.difficulty)}","mixHash":"${header.mixHash}",` +
    `"extraData":"${bytesToHex(header.extraData)}","gasLimit":"${toQuantity(header.gasLimit)}",` +
    `"gasUsed":"${toQuantity(header.gasUsed)}","timestamp":"${toQuantity(header.timestamp)}"`
  const baseFee = baseFeePerGas === undefined ? '' : `,"baseFeePerGas":"${toQuantity(baseFeePerGas)}"`
  const withdrawals = withdrawalsRoot === undefined ? '' : `,"withdrawalsRoot":"${withdrawalsRoot}"`
  const blobGas = blobGasUsed === undefined ? '' : `,"blobGasUsed":"${toQuantity(blobGasUsed)}"`
  const excessGas = excessBlobGas === undefined ? '' : `,"excessBlobGas":"${toQuantity(excessBlobGas)}"`
  const beaconRoot = parentBeaconBlockRoot === undefined ? '' : `,"parentBeaconBlockRoot":"${parentBeaconBlockRoot}"`
  const requests = requestsHash === undefined ? '' : `,"requestsHash":"${requestsHash}"`
  return `${upToParis}${baseFee}${withdrawals}${blobGas}${excessGas}${beaconRoot}${requests}`
}
