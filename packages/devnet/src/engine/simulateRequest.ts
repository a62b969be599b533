import { rpcFailure } from './provider.ts'
import { SIMULATE_CODE } from './simulateFailure.ts'
import {
  address,
  array,
  bytes,
  type Fields,
  flag,
  invalid,
  isPresent,
  object,
  optional,
  optionalObject,
  quantity,
  word,
} from './simulateFields.ts'
import type { Hex } from './types.ts'

export interface SimulateOptions {
  blocks: SimulatedBlockRequest[]
  traceTransfers: boolean
  validation: boolean
  fullTransactions: boolean
  at: BlockReference
}

export type BlockReference = { tag: string } | { number: bigint } | { hash: Hex }

export interface SimulatedBlockRequest {
  overrides: BlockOverrides
  state: AccountOverride[]
  calls: SimulatedCall[]
}

export interface BlockOverrides {
  number?: bigint
  timeS?: bigint
  gasLimit?: bigint
  feeRecipient?: Hex
  prevRandao?: Hex
  baseFeeWei?: bigint
}

export interface AccountOverride {
  address: Hex
  balanceWei?: bigint
  nonce?: bigint
  code?: Hex
  /** Replaces all storage of the account. */
  state?: [slot: bigint, word: Hex][]
  stateDiff?: [slot: bigint, word: Hex][]
}

export interface Authorization {
  chainId: bigint
  address: Hex
  nonce: bigint
  yParity: bigint
  r: bigint
  s: bigint
}

export interface SimulatedCall {
  from: Hex
  to?: Hex
  data: Hex
  valueWei: bigint
  gas?: bigint
  nonce?: bigint
  fees:
    | { kind: 'none' }
    | { kind: 'legacy'; priceWei: bigint }
    | { kind: 'market'; capWei: bigint; tipWei: bigint }
  accessList?: { address: Hex; storageKeys: Hex[] }[]
  authorizationList?: Authorization[]
}

export interface SimulateLimits {
  maxBlocks: number
  maxCalls: number
}

const ZERO_ADDRESS: Hex = '0x0000000000000000000000000000000000000000'
const TAGS = ['latest', 'pending', 'safe', 'finalized']
const OPTION_FIELDS = ['blockStateCalls', 'traceTransfers', 'validation', 'returnFullTransactions']
const REFUSED_IN_BLOCK = ['blobBaseFee', 'withdrawals', 'beaconRoot', 'difficulty']
const REFUSED_IN_CALL = [
  'blobVersionedHashes',
  'blobs',
  'maxFeePerBlobGas',
  'commitments',
  'proofs',
  'sidecars',
]

/** Parses the params of eth_simulateV1; throws -32602 with the field's name if invalid. */
export function parseSimulate(params: unknown[], limits: SimulateLimits): SimulateOptions {
  if (params.length < 1 || params.length > 2) throw invalid('expected [payload, block]')
  const payload = object(params[0], 'payload')
  const unknown = Object.keys(payload).find((key) => !OPTION_FIELDS.includes(key))
  if (unknown !== undefined) throw invalid(`unknown field ${unknown}`)
  const list = array(payload['blockStateCalls'], 'blockStateCalls')
  if (list.length === 0) throw invalid('blockStateCalls is empty')
  if (list.length > limits.maxBlocks)
    throw rpcFailure(SIMULATE_CODE.clientLimit, `more than ${limits.maxBlocks} blocks`)
  const blocks = list.map((entry, index) => parseBlock(object(entry, `blockStateCalls[${index}]`), index))
  if (blocks.reduce((sum, block) => sum + block.calls.length, 0) > limits.maxCalls)
    throw rpcFailure(SIMULATE_CODE.clientLimit, `more than ${limits.maxCalls} calls`)
  return {
    blocks,
    traceTransfers: flag(payload['traceTransfers'], 'traceTransfers'),
    validation: flag(payload['validation'], 'validation'),
    fullTransactions: flag(payload['returnFullTransactions'], 'returnFullTransactions'),
    at: reference(params[1]),
  }
}

function parseBlock(entry: Fields, index: number): SimulatedBlockRequest {
  const path = `blockStateCalls[${index}]`
  return {
    overrides: blockOverrides(optionalObject(entry['blockOverrides'], `${path}.blockOverrides`), path),
    state: stateOverrides(optionalObject(entry['stateOverrides'], `${path}.stateOverrides`), path),
    calls: (isPresent(entry['calls']) ? array(entry['calls'], `${path}.calls`) : []).map((call, position) =>
      parseCall(object(call, `${path}.calls[${position}]`), `${path}.calls[${position}]`),
    ),
  }
}

function blockOverrides(fields: Fields, path: string): BlockOverrides {
  for (const name of REFUSED_IN_BLOCK) {
    const value = fields[name]
    const harmless = Array.isArray(value) && value.length === 0
    if (isPresent(value) && !harmless)
      throw invalid(`${path}.blockOverrides.${name} cannot be overridden here`)
  }
  const at = (name: string) => `${path}.blockOverrides.${name}`
  const timeName = isPresent(fields['time']) ? 'time' : 'timestamp'
  const recipientName = isPresent(fields['feeRecipient']) ? 'feeRecipient' : 'coinbase'
  const randaoName = isPresent(fields['prevRandao']) ? 'prevRandao' : 'random'
  const feeName = isPresent(fields['baseFeePerGas']) ? 'baseFeePerGas' : 'baseFee'
  return {
    ...optional('number', fields['number'], (value) => quantity(value, at('number'))),
    ...optional('timeS', fields[timeName], (value) => quantity(value, at(timeName))),
    ...optional('gasLimit', fields['gasLimit'], (value) => quantity(value, at('gasLimit'))),
    ...optional('feeRecipient', fields[recipientName], (value) => address(value, at(recipientName))),
    ...optional('prevRandao', fields[randaoName], (value) => word(value, at(randaoName))),
    ...optional('baseFeeWei', fields[feeName], (value) => quantity(value, at(feeName))),
  }
}

function stateOverrides(fields: Fields, path: string): AccountOverride[] {
  return Object.entries(fields).map(([key, value]) => {
    const at = `${path}.stateOverrides.${key}`
    const account = object(value, at)
    if (isPresent(account['movePrecompileToAddress']))
      throw invalid(`${at}: precompiles cannot be moved here`)
    if (isPresent(account['state']) && isPresent(account['stateDiff']))
      throw invalid(`${at}: both state and stateDiff`)
    return {
      address: address(key, at),
      ...optional('balanceWei', account['balance'], (balance) => quantity(balance, `${at}.balance`)),
      ...optional('nonce', account['nonce'], (nonce) => quantity(nonce, `${at}.nonce`)),
      ...optional('code', account['code'], (code) => bytes(code, `${at}.code`)),
      ...optional('state', account['state'], (slots) => storage(slots, `${at}.state`)),
      ...optional('stateDiff', account['stateDiff'], (slots) => storage(slots, `${at}.stateDiff`)),
    }
  })
}

const storage = (value: unknown, at: string): [bigint, Hex][] =>
  Object.entries(object(value, at)).map(([slot, content]) => [
    quantity(slot, `${at} slot`),
    `0x${quantity(content, `${at}.${slot}`).toString(16).padStart(64, '0')}`,
  ])

function parseCall(fields: Fields, at: string): SimulatedCall {
  const refused = REFUSED_IN_CALL.find((name) => isPresent(fields[name]))
  if (refused) throw invalid(`${at}.${refused}: this chain takes no blobs`)
  return {
    from: isPresent(fields['from']) ? address(fields['from'], `${at}.from`) : ZERO_ADDRESS,
    data: callData(fields, at),
    valueWei: isPresent(fields['value']) ? quantity(fields['value'], `${at}.value`) : 0n,
    fees: callFees(fields, at),
    ...optional('to', fields['to'], (value) => address(value, `${at}.to`)),
    ...optional('gas', fields['gas'], (value) => quantity(value, `${at}.gas`)),
    ...optional('nonce', fields['nonce'], (value) => quantity(value, `${at}.nonce`)),
    ...optional('accessList', fields['accessList'], (value) => accessList(value, `${at}.accessList`)),
    ...authorizations(fields, at),
  }
}

function callData(fields: Fields, at: string): Hex {
  const input = isPresent(fields['input']) ? bytes(fields['input'], `${at}.input`) : undefined
  const data = isPresent(fields['data']) ? bytes(fields['data'], `${at}.data`) : undefined
  if (input !== undefined && data !== undefined && input !== data)
    throw invalid(`${at}: both input and data, not equal`)
  return input ?? data ?? '0x'
}

function callFees(fields: Fields, at: string): SimulatedCall['fees'] {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = fields
  const market = isPresent(maxFeePerGas) || isPresent(maxPriorityFeePerGas)
  if (isPresent(gasPrice) && market)
    throw invalid(`${at}: both gasPrice and maxFeePerGas or maxPriorityFeePerGas`)
  if (isPresent(gasPrice)) return { kind: 'legacy', priceWei: quantity(gasPrice, `${at}.gasPrice`) }
  if (!market) return { kind: 'none' }
  const tipWei = isPresent(maxPriorityFeePerGas)
    ? quantity(maxPriorityFeePerGas, `${at}.maxPriorityFeePerGas`)
    : 0n
  const capWei = isPresent(maxFeePerGas) ? quantity(maxFeePerGas, `${at}.maxFeePerGas`) : tipWei
  if (tipWei > capWei) throw invalid(`${at}: maxPriorityFeePerGas is above maxFeePerGas`)
  return { kind: 'market', capWei, tipWei }
}

const accessList = (value: unknown, at: string) =>
  array(value, at).map((entry, index) => {
    const item = object(entry, `${at}[${index}]`)
    return {
      address: address(item['address'], `${at}[${index}].address`),
      storageKeys: array(item['storageKeys'], `${at}[${index}].storageKeys`).map((key) =>
        word(key, `${at}[${index}].storageKeys`),
      ),
    }
  })

function authorizations(fields: Fields, at: string): { authorizationList?: Authorization[] } {
  if (!isPresent(fields['authorizationList'])) return {}
  const list = array(fields['authorizationList'], `${at}.authorizationList`)
  if (list.length === 0) throw invalid(`${at}.authorizationList is empty`)
  if (!isPresent(fields['to'])) throw invalid(`${at}: an authorizationList needs a recipient`)
  return {
    authorizationList: list.map((entry, index) => {
      const path = `${at}.authorizationList[${index}]`
      const item = object(entry, path)
      return {
        address: address(item['address'], `${path}.address`),
        chainId: quantity(item['chainId'], `${path}.chainId`),
        nonce: quantity(item['nonce'], `${path}.nonce`),
        yParity: isPresent(item['yParity'])
          ? quantity(item['yParity'], `${path}.yParity`)
          : quantity(item['v'], `${path}.v`) % 27n,
        r: quantity(item['r'], `${path}.r`),
        s: quantity(item['s'], `${path}.s`),
      }
    }),
  }
}

function reference(value: unknown): BlockReference {
  if (!isPresent(value)) return { tag: 'latest' }
  if (typeof value === 'object') {
    const fields = value as Fields
    if (isPresent(fields['blockHash'])) return { hash: word(fields['blockHash'], 'block.blockHash') }
    return reference(fields['blockNumber'])
  }
  if (typeof value === 'string' && TAGS.includes(value)) return { tag: value }
  if (typeof value === 'string' && value.length === 66) return { hash: word(value, 'block') }
  return { number: quantity(value, 'block') }
}
