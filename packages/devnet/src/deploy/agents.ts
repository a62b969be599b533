import { type Address, getAddress } from 'viem'
import type { Acts } from './acts.ts'
import type { Asset } from './amounts.ts'
import type { Assets } from './coreTokens.ts'
import { queueBirths } from './longTail.ts'
import { queuePool, v4 } from './pools.ts'

/** On the devnet's sanctions list; no one holds its key. */
export const SANCTIONED_ADDRESS: Address = getAddress('0x5a4c710ed00000000000000000000000deadbeef')

export interface WorldAgent {
  id: number
  owner: Address
  agentWallet: Address
  beneficiary: Address
  token: Address
  symbol: string
  name: string
  stake: string
}

interface Row {
  symbol: string
  name: string
  /** Test account, or a stranger's address. */
  owner: number | Address
  wallet?: number | Address
  beneficiary?: Address
  stakeWhole?: bigint
}

const stranger = (n: number): Address =>
  getAddress(`0x57a6e400000000000000000000000000000000${n.toString(16).padStart(2, '0')}`)

const ROWS: Row[] = [
  { symbol: 'PITBOT', name: 'Pit House Agent', owner: 0, wallet: stranger(0xa0), stakeWhole: 1_000_000n },
  { symbol: 'ATLAS', name: 'Atlas Trader', owner: 1, stakeWhole: 25_000n },
  { symbol: 'BRISK', name: 'Brisk Momentum', owner: 2, stakeWhole: 5_000n },
  { symbol: 'CEDAR', name: 'Cedar Grid', owner: 3 },
  { symbol: 'DELTA', name: 'Delta Neutral Agent', owner: 4, wallet: 7, stakeWhole: 10_000n },
  { symbol: 'EMBER', name: 'Ember DCA', owner: 5, wallet: 8 },
  { symbol: 'FJORD', name: 'Fjord Rebalancer', owner: 6 },
  { symbol: 'GRIM', name: 'Grim Beneficiary', owner: 5, wallet: 9, beneficiary: SANCTIONED_ADDRESS },
  { symbol: 'HALO', name: 'Halo', owner: stranger(1), stakeWhole: 50_000n },
  { symbol: 'IRIS', name: 'Iris', owner: stranger(2), wallet: stranger(0xa2) },
  { symbol: 'JINX', name: '<img src=x onerror=alert(1)>', owner: stranger(3) },
  { symbol: 'KITE', name: 'Kite', owner: stranger(4), wallet: stranger(0xa4) },
]

/** Agent registries: the partner's, and ERC-8004's with the same agents under the same ids. */
export interface Registries {
  pit: Address
  erc8004: Address
}

const YEARLY_BPS = 1_000n
const SALT_BASE = 500_000n
/** Funds that the vault pays gains from. */
const RESERVE = 10_000_000n * 10n ** 18n

/** The platform's own agent, whose stake feeds the league's reserve. */
export const PLATFORM_AGENT_ID = '1'

/** Queues both registries with their agents, a token for each (against PARTNER and ETH), and the stakes. */
export function queueAgents(
  acts: Acts,
  world: { assets: Assets; tokenCode: Address; accounts: Address[] },
): { registries: Registries; agents: WorldAgent[] } {
  const { assets, tokenCode, accounts } = world
  const registry = acts.deploy('AgentRegistry', [assets.PARTNER.address, YEARLY_BPS])
  const erc8004 = acts.deploy('IdentityRegistry')
  // Its ids count from 0, the others' from 1.
  queueIdentity(acts, erc8004, { id: 0, name: 'Nobody’s agent', owner: stranger(0xff) })
  const staked = ROWS.reduce((sum, row) => sum + (row.stakeWhole ?? 0n), 0n) * 10n ** 18n
  acts.call('Partner', assets.PARTNER.address, 'transfer', [registry, RESERVE], 80_000n)
  acts.call('Partner', assets.PARTNER.address, 'approve', [registry, staked], 60_000n)
  const tokens = queueBirths(
    acts,
    tokenCode,
    ROWS.map(({ symbol, name }, index) => ({ symbol, name, salt: SALT_BASE + BigInt(index) })),
  )
  const addressOf = (who: number | Address): Address => (typeof who === 'number' ? accounts[who]! : who)
  const agents = ROWS.map((row, index) => {
    const owner = addressOf(row.owner)
    const agentWallet = addressOf(row.wallet ?? row.owner)
    const beneficiary = row.beneficiary ?? owner
    const token = tokens[index]!
    const stake = (row.stakeWhole ?? 0n) * 10n ** 18n
    acts.call(
      'AgentRegistry',
      registry,
      'register',
      [owner, agentWallet, beneficiary, token, row.symbol, row.name],
      420_000n,
    )
    queueIdentity(acts, erc8004, { id: index + 1, name: row.name, owner })
    if (stake > 0n) acts.call('AgentRegistry', registry, 'stake', [BigInt(index + 1), stake], 160_000n)
    const asset: Asset = { symbol: row.symbol, address: token, decimals: 18, priceMicroUsd: 50_000n }
    queuePool(acts, v4(assets.PARTNER, asset, 3000, 40_000n, 'full'))
    if (index % 3 === 0) queuePool(acts, v4(assets.ETH, asset, 10000, 15_000n, 'full'))
    return {
      id: index + 1,
      owner,
      agentWallet,
      beneficiary,
      token,
      symbol: row.symbol,
      name: row.name,
      stake: stake.toString(),
    }
  })
  return { registries: { pit: registry, erc8004 }, agents }
}

/** Registered by the builder and transferred, which leaves it without a wallet until its owner sets one. */
function queueIdentity(
  acts: Acts,
  registry: Address,
  { id, name, owner }: { id: number; name: string; owner: Address },
): void {
  const file = { type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1', name, services: [] }
  const uri = `data:application/json;base64,${Buffer.from(JSON.stringify(file)).toString('base64')}`
  acts.call('IdentityRegistry', registry, 'register', [uri], 600_000n)
  acts.call('IdentityRegistry', registry, 'transferFrom', [acts.builder, owner, BigInt(id)], 140_000n)
}
