import {
  type Address,
  type Crypto,
  delegationSigner,
  type Hex,
  leafId,
  NATIVE,
  REDEEMED_TOPIC,
  readLeaf,
  redemptionIn,
} from '@pit/chain'
import {
  addressWord,
  askCall,
  askEther,
  askLogs,
  flagIn,
  lastBlockBefore,
  needAll,
  type Receipt,
  readOne,
} from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { encodeFunctionData, parseAbi, toEventSelector } from 'viem'
import type { Pins } from '../pins.ts'
import type { Session } from '../roots/readRoots.ts'

const idEnforcerAbi = parseAbi([
  'function getIsUsed(address delegationManager, address delegator, uint256 id) view returns (bool)',
])
const TRANSFER = toEventSelector('Transfer(address,address,uint256)')

export interface LeafName {
  /** The roots that a leaf of this sequence can stand on: the router's and the curves'. */
  roots: readonly Hex[]
  sequence: number
}

/** The roots of a session that carry leaves. */
export const leafRoots = ({ root, curve }: Pick<Session, 'root' | 'curve'>): Hex[] =>
  curve ? [root.hash, curve.root.hash] : [root.hash]

/** Asks the IdEnforcer whether a leaf of this sequence ran; one question for each root. */
export const askUsed = (
  { addresses: { manager, enforcers }, cosigner }: Pick<Pins, 'addresses' | 'cosigner'>,
  { roots, sequence }: LeafName,
  block?: number,
) =>
  roots.map((root) =>
    askCall(
      {
        to: enforcers.Id,
        data: encodeFunctionData({
          abi: idEnforcerAbi,
          functionName: 'getIsUsed',
          args: [manager, cosigner, leafId(root, sequence)],
        }),
      },
      block === undefined ? {} : { block },
    ),
  )

/** Throws on an answer that is neither. */
export function isUsedIn(answers: readonly Hex[]): boolean {
  const flags = answers.map(flagIn)
  if (flags.includes(null)) throw new Error('the IdEnforcer’s answer cannot be read')
  return flags.includes(true)
}

export const readUsed = async (
  rpc: Pick<Rpc, 'batch'>,
  pins: Pick<Pins, 'addresses' | 'cosigner'>,
  leaf: LeafName,
): Promise<boolean> => isUsedIn(await needAll(rpc, askUsed(pins, leaf)))

/**
 * Whether a receipt shows that the manager redeemed a leaf of this sequence for the wallet, and whether it is
 * the only trade of the wallet in it.
 */
export function redeemedIn(
  { crypto, pins }: { crypto: Crypto; pins: Pick<Pins, 'addresses' | 'cosigner'> },
  receipt: Pick<Receipt, 'ok' | 'logs'>,
  { wallet, ...leaf }: LeafName & { wallet: Address },
): { isAlone: boolean } | null {
  const { addresses, cosigner } = pins
  if (!receipt.ok) return null
  const trades = receipt.logs.flatMap((log) => {
    const redeemed = redemptionIn(addresses, log)
    if (redeemed?.wallet !== wallet) return []
    const { delegation } = redeemed
    const terms = readLeaf(addresses, delegation)
    return terms && terms.kind !== 'fee' ? [{ delegation, terms }] : []
  })
  const trade = trades.find(
    ({ delegation, terms }) =>
      terms.sequence === leaf.sequence &&
      leaf.roots.includes(terms.rootHash) &&
      terms.cosigner === cosigner &&
      delegationSigner(crypto, addresses, delegation) === cosigner,
  )
  return trade ? { isAlone: trades.length === 1 } : null
}

const addressIn = (topic: Hex | undefined): string | undefined =>
  topic && `0x${topic.slice(26).toLowerCase()}`

/** The chain's clock may be behind ours by this much. */
const CLOCKS_APART_S = 120

/** The transaction that used a leaf, by the manager's logs of its life; null without one. */
export async function findRedemption(
  deps: { rpc: Pick<Rpc, 'request' | 'batch'>; crypto: Crypto; pins: Pick<Pins, 'addresses' | 'cosigner'> },
  session: Pick<Session, 'root' | 'curve' | 'binding'>,
  { sequence, fromS, toS }: { sequence: number; fromS: number; toS: number },
): Promise<Hex | null> {
  const { rpc, pins } = deps
  const { wallet } = session.binding
  const [before, last] = await Promise.all([
    lastBlockBefore(rpc, fromS - CLOCKS_APART_S),
    lastBlockBefore(rpc, toS),
  ])
  if (last === null) return null
  const filter = {
    address: pins.addresses.manager,
    topics: [REDEEMED_TOPIC, `0x${addressWord(wallet)}` as Hex],
  }
  const logs = await readOne(rpc, askLogs(filter, { from: (before ?? -1) + 1, to: last }))
  const name = { roots: leafRoots(session), sequence, wallet }
  const redemption = logs.find((log) => redeemedIn(deps, { ok: true, logs: [log] }, name))
  return redemption?.transactionHash ?? null
}

/** Amount of a token that the wallet received in a transaction: by its logs, or by its balance over the block. */
export async function readReceived(
  rpc: Pick<Rpc, 'batch'>,
  { block, logs }: Pick<Receipt, 'block' | 'logs'>,
  { wallet, token }: { wallet: Address; token: Address },
): Promise<bigint | null> {
  if (token !== NATIVE) return transferred(logs, wallet, token)
  try {
    const [after, before] = await needAll(rpc, [askEther(wallet, block), askEther(wallet, block - 1)])
    return after - before
  } catch {
    return null
  }
}

function transferred(logs: Receipt['logs'], wallet: Address, token: Address): bigint {
  let sum = 0n
  for (const { address, topics, data } of logs) {
    if (address !== token || topics[0] !== TRANSFER || topics.length !== 3 || data.length !== 66) continue
    if (addressIn(topics[2]) === wallet) sum += BigInt(data)
    if (addressIn(topics[1]) === wallet) sum -= BigInt(data)
  }
  return sum
}
