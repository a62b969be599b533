export {
  askCall,
  askCallOrRevert,
  askChainId,
  askCode,
  askEther,
  askNonce,
  askStorage,
  type CallTerms,
  type ContractCall,
} from './accounts.ts'
export { askBalance, askBalances, balanceCall, type Holding, readBalances, readHoldings } from './balances.ts'
export {
  askBaseFee,
  askBlockNumber,
  askBlockTime,
  askHeader,
  askIsKnown,
  askTransaction,
  askTransactions,
  type Header,
  headerIn,
  lastBlockBetween,
  readBlockTime,
  type Transaction,
} from './blocks.ts'
export { type EtherMoves, traceEther } from './etherMoves.ts'
export { type BlockSearch, type FoundBlock, firstBlockWhere, lastBlockBefore } from './findBlock.ts'
export { addressIn, addressWord, type BlockTag, flagIn, toQuantity, wordIn, wordsIn } from './hex.ts'
export { createLogSpan, type LogSpan, readInSpan, refusalOf } from './logSpan.ts'
export { askLogs, type BlockRange, type ChainLog, type LogFilter } from './logs.ts'
export { type Mark, type MarkReading, readMarks } from './marks.ts'
export { askMulticall, decodeMulticall, encodeMulticall } from './multicall.ts'
export { type BatchBound, type Bound, needAll, PAGED, type Question, readAll, readOne } from './question.ts'
export { askReceipt, type Receipt, type ReceiptLog, readReceipts } from './receipts.ts'
export { plainText } from './revertReason.ts'
export {
  type AccountOverride,
  type Move,
  NotRunnable,
  type RanBlock,
  type RanCall,
  type SimBlock,
  type SimCall,
  simulateBlocks,
} from './simulateBlocks.ts'
export {
  allowanceCall,
  balanceOfCall,
  type Permit,
  pausedCall,
  permitCall,
  permitIn,
} from './tokens.ts'
export { scanTransfers, type Transfer, type TransferFilter } from './transfers.ts'
export { rpcUnavailable } from './unavailable.ts'
