import type { Method } from './method.ts'
import { base_transactionStatus } from './methods/base_transactionStatus.ts'
import { debug_getBadBlocks } from './methods/debug_getBadBlocks.ts'
import { debug_getRawBlock } from './methods/debug_getRawBlock.ts'
import { debug_getRawBlockAccessList } from './methods/debug_getRawBlockAccessList.ts'
import { debug_getRawHeader } from './methods/debug_getRawHeader.ts'
import { debug_getRawReceipts } from './methods/debug_getRawReceipts.ts'
import { debug_getRawTransaction } from './methods/debug_getRawTransaction.ts'
import { debug_setHead } from './methods/debug_setHead.ts'
import { debug_traceBlock } from './methods/debug_traceBlock.ts'
import { debug_traceBlockByHash } from './methods/debug_traceBlockByHash.ts'
import { debug_traceBlockByNumber } from './methods/debug_traceBlockByNumber.ts'
import { debug_traceCall } from './methods/debug_traceCall.ts'
import { debug_traceTransaction } from './methods/debug_traceTransaction.ts'
import { eth_accounts } from './methods/eth_accounts.ts'
import { eth_baseFee } from './methods/eth_baseFee.ts'
import { eth_blobBaseFee } from './methods/eth_blobBaseFee.ts'
import { eth_blockNumber } from './methods/eth_blockNumber.ts'
import { eth_call } from './methods/eth_call.ts'
import { eth_capabilities } from './methods/eth_capabilities.ts'
import { eth_chainId } from './methods/eth_chainId.ts'
import { eth_coinbase } from './methods/eth_coinbase.ts'
import { eth_config } from './methods/eth_config.ts'
import { eth_createAccessList } from './methods/eth_createAccessList.ts'
import { eth_estimateGas } from './methods/eth_estimateGas.ts'
import { eth_feeHistory } from './methods/eth_feeHistory.ts'
import { eth_fillTransaction } from './methods/eth_fillTransaction.ts'
import { eth_gasPrice } from './methods/eth_gasPrice.ts'
import { eth_getBalance } from './methods/eth_getBalance.ts'
import { eth_getBlockAccessList } from './methods/eth_getBlockAccessList.ts'
import { eth_getBlockByHash } from './methods/eth_getBlockByHash.ts'
import { eth_getBlockByNumber } from './methods/eth_getBlockByNumber.ts'
import { eth_getBlockReceipts } from './methods/eth_getBlockReceipts.ts'
import { eth_getBlockTransactionCountByHash } from './methods/eth_getBlockTransactionCountByHash.ts'
import { eth_getBlockTransactionCountByNumber } from './methods/eth_getBlockTransactionCountByNumber.ts'
import { eth_getCode } from './methods/eth_getCode.ts'
import { eth_getFilterChanges } from './methods/eth_getFilterChanges.ts'
import { eth_getFilterLogs } from './methods/eth_getFilterLogs.ts'
import { eth_getHeaderByHash } from './methods/eth_getHeaderByHash.ts'
import { eth_getHeaderByNumber } from './methods/eth_getHeaderByNumber.ts'
import { eth_getLogs } from './methods/eth_getLogs.ts'
import { eth_getProof } from './methods/eth_getProof.ts'
import { eth_getRawTransactionByBlockHashAndIndex } from './methods/eth_getRawTransactionByBlockHashAndIndex.ts'
import { eth_getRawTransactionByBlockNumberAndIndex } from './methods/eth_getRawTransactionByBlockNumberAndIndex.ts'
import { eth_getRawTransactionByHash } from './methods/eth_getRawTransactionByHash.ts'
import { eth_getStorageAt } from './methods/eth_getStorageAt.ts'
import { eth_getStorageValues } from './methods/eth_getStorageValues.ts'
import { eth_getTransactionByBlockHashAndIndex } from './methods/eth_getTransactionByBlockHashAndIndex.ts'
import { eth_getTransactionByBlockNumberAndIndex } from './methods/eth_getTransactionByBlockNumberAndIndex.ts'
import { eth_getTransactionByHash } from './methods/eth_getTransactionByHash.ts'
import { eth_getTransactionCount } from './methods/eth_getTransactionCount.ts'
import { eth_getTransactionReceipt } from './methods/eth_getTransactionReceipt.ts'
import { eth_getUncleByBlockHashAndIndex } from './methods/eth_getUncleByBlockHashAndIndex.ts'
import { eth_getUncleByBlockNumberAndIndex } from './methods/eth_getUncleByBlockNumberAndIndex.ts'
import { eth_getUncleCountByBlockHash } from './methods/eth_getUncleCountByBlockHash.ts'
import { eth_getUncleCountByBlockNumber } from './methods/eth_getUncleCountByBlockNumber.ts'
import { eth_maxPriorityFeePerGas } from './methods/eth_maxPriorityFeePerGas.ts'
import { eth_newBlockFilter } from './methods/eth_newBlockFilter.ts'
import { eth_newFilter } from './methods/eth_newFilter.ts'
import { eth_newPendingTransactionFilter } from './methods/eth_newPendingTransactionFilter.ts'
import { eth_sendRawTransaction } from './methods/eth_sendRawTransaction.ts'
import { eth_sendRawTransactionSync } from './methods/eth_sendRawTransactionSync.ts'
import { eth_sendTransaction } from './methods/eth_sendTransaction.ts'
import { eth_sign } from './methods/eth_sign.ts'
import { eth_signTransaction } from './methods/eth_signTransaction.ts'
import { eth_simulateV1 } from './methods/eth_simulateV1.ts'
import { eth_subscribe } from './methods/eth_subscribe.ts'
import { eth_syncing } from './methods/eth_syncing.ts'
import { eth_uninstallFilter } from './methods/eth_uninstallFilter.ts'
import { eth_unsubscribe } from './methods/eth_unsubscribe.ts'
import { net_listening } from './methods/net_listening.ts'
import { net_peerCount } from './methods/net_peerCount.ts'
import { net_version } from './methods/net_version.ts'
import { op_supportedCapabilities } from './methods/op_supportedCapabilities.ts'
import { rpc_discover } from './methods/rpc.discover.ts'
import { rpc_modules } from './methods/rpc_modules.ts'
import { testing_buildBlockV1 } from './methods/testing_buildBlockV1.ts'
import { tickertape_transactionStatus } from './methods/tickertape_transactionStatus.ts'
import { txpool_content } from './methods/txpool_content.ts'
import { txpool_contentFrom } from './methods/txpool_contentFrom.ts'
import { txpool_inspect } from './methods/txpool_inspect.ts'
import { txpool_status } from './methods/txpool_status.ts'
import { web3_clientVersion } from './methods/web3_clientVersion.ts'
import { web3_sha3 } from './methods/web3_sha3.ts'

/** Every method that this node has; what is not here does not exist. */
export const METHODS: readonly Method[] = [
  base_transactionStatus,
  debug_getBadBlocks,
  debug_getRawBlock,
  debug_getRawBlockAccessList,
  debug_getRawHeader,
  debug_getRawReceipts,
  debug_getRawTransaction,
  debug_setHead,
  debug_traceBlock,
  debug_traceBlockByHash,
  debug_traceBlockByNumber,
  debug_traceCall,
  debug_traceTransaction,
  eth_accounts,
  eth_baseFee,
  eth_blobBaseFee,
  eth_blockNumber,
  eth_call,
  eth_capabilities,
  eth_chainId,
  eth_createAccessList,
  eth_coinbase,
  eth_config,
  eth_estimateGas,
  eth_feeHistory,
  eth_fillTransaction,
  eth_gasPrice,
  eth_getBalance,
  eth_getBlockAccessList,
  eth_getBlockByHash,
  eth_getBlockByNumber,
  eth_getBlockReceipts,
  eth_getBlockTransactionCountByHash,
  eth_getBlockTransactionCountByNumber,
  eth_getCode,
  eth_getFilterChanges,
  eth_getFilterLogs,
  eth_getHeaderByHash,
  eth_getHeaderByNumber,
  eth_getLogs,
  eth_getProof,
  eth_getRawTransactionByBlockHashAndIndex,
  eth_getRawTransactionByBlockNumberAndIndex,
  eth_getRawTransactionByHash,
  eth_getStorageAt,
  eth_getStorageValues,
  eth_getTransactionByBlockHashAndIndex,
  eth_getTransactionByBlockNumberAndIndex,
  eth_getTransactionByHash,
  eth_getTransactionCount,
  eth_getTransactionReceipt,
  eth_getUncleByBlockHashAndIndex,
  eth_getUncleByBlockNumberAndIndex,
  eth_getUncleCountByBlockHash,
  eth_getUncleCountByBlockNumber,
  eth_maxPriorityFeePerGas,
  eth_newBlockFilter,
  eth_newFilter,
  eth_newPendingTransactionFilter,
  eth_sendRawTransaction,
  eth_sendRawTransactionSync,
  eth_sendTransaction,
  eth_sign,
  eth_signTransaction,
  eth_simulateV1,
  eth_subscribe,
  eth_syncing,
  eth_uninstallFilter,
  eth_unsubscribe,
  net_listening,
  net_peerCount,
  net_version,
  op_supportedCapabilities,
  rpc_discover,
  rpc_modules,
  tickertape_transactionStatus,
  txpool_content,
  txpool_contentFrom,
  txpool_inspect,
  txpool_status,
  testing_buildBlockV1,
  web3_clientVersion,
  web3_sha3,
]
