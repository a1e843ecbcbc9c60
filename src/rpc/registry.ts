import type { Method } from './method.ts'
import { base_transactionStatus } from './methods/base_transactionStatus.ts'
import { debug_setHead } from './methods/debug_setHead.ts'
import { debug_traceBlock } from './methods/debug_traceBlock.ts'
import { debug_traceBlockByHash } from './methods/debug_traceBlockByHash.ts'
import { debug_traceBlockByNumber } from './methods/debug_traceBlockByNumber.ts'
import { debug_traceCall } from './methods/debug_traceCall.ts'
import { debug_traceTransaction } from './methods/debug_traceTransaction.ts'
import { eth_accounts } from './methods/eth_accounts.ts'
import { eth_blockNumber } from './methods/eth_blockNumber.ts'
import { eth_call } from './methods/eth_call.ts'
import { eth_chainId } from './methods/eth_chainId.ts'
import { eth_createAccessList } from './methods/eth_createAccessList.ts'
import { eth_estimateGas } from './methods/eth_estimateGas.ts'
import { eth_feeHistory } from './methods/eth_feeHistory.ts'
import { eth_gasPrice } from './methods/eth_gasPrice.ts'
import { eth_getBalance } from './methods/eth_getBalance.ts'
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
import { eth_getStorageAt } from './methods/eth_getStorageAt.ts'
import { eth_getTransactionByBlockHashAndIndex } from './methods/eth_getTransactionByBlockHashAndIndex.ts'
import { eth_getTransactionByBlockNumberAndIndex } from './methods/eth_getTransactionByBlockNumberAndIndex.ts'
import { eth_getTransactionByHash } from './methods/eth_getTransactionByHash.ts'
import { eth_getTransactionCount } from './methods/eth_getTransactionCount.ts'
import { eth_getTransactionReceipt } from './methods/eth_getTransactionReceipt.ts'
import { eth_maxPriorityFeePerGas } from './methods/eth_maxPriorityFeePerGas.ts'
import { eth_newBlockFilter } from './methods/eth_newBlockFilter.ts'
import { eth_newFilter } from './methods/eth_newFilter.ts'
import { eth_newPendingTransactionFilter } from './methods/eth_newPendingTransactionFilter.ts'
import { eth_sendRawTransaction } from './methods/eth_sendRawTransaction.ts'
import { eth_sendRawTransactionSync } from './methods/eth_sendRawTransactionSync.ts'
import { eth_simulateV1 } from './methods/eth_simulateV1.ts'
import { eth_subscribe } from './methods/eth_subscribe.ts'
import { eth_syncing } from './methods/eth_syncing.ts'
import { eth_uninstallFilter } from './methods/eth_uninstallFilter.ts'
import { eth_unsubscribe } from './methods/eth_unsubscribe.ts'
import { net_listening } from './methods/net_listening.ts'
import { net_version } from './methods/net_version.ts'
import { op_supportedCapabilities } from './methods/op_supportedCapabilities.ts'
import { rpc_discover } from './methods/rpc.discover.ts'
import { rpc_modules } from './methods/rpc_modules.ts'
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
  debug_setHead,
  debug_traceBlock,
  debug_traceBlockByHash,
  debug_traceBlockByNumber,
  debug_traceCall,
  debug_traceTransaction,
  eth_accounts,
  eth_blockNumber,
  eth_call,
  eth_chainId,
  eth_createAccessList,
  eth_estimateGas,
  eth_feeHistory,
  eth_gasPrice,
  eth_getBalance,
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
  eth_getStorageAt,
  eth_getTransactionByBlockHashAndIndex,
  eth_getTransactionByBlockNumberAndIndex,
  eth_getTransactionByHash,
  eth_getTransactionCount,
  eth_getTransactionReceipt,
  eth_maxPriorityFeePerGas,
  eth_newBlockFilter,
  eth_newFilter,
  eth_newPendingTransactionFilter,
  eth_sendRawTransaction,
  eth_sendRawTransactionSync,
  eth_simulateV1,
  eth_subscribe,
  eth_syncing,
  eth_uninstallFilter,
  eth_unsubscribe,
  net_listening,
  net_version,
  op_supportedCapabilities,
  rpc_discover,
  rpc_modules,
  tickertape_transactionStatus,
  txpool_content,
  txpool_contentFrom,
  txpool_inspect,
  txpool_status,
  web3_clientVersion,
  web3_sha3,
]
