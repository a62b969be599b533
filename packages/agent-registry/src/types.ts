import { type Answer, visibleName } from '@pit/protocol'
import type { Address } from 'viem'

export type PartnerAgent = NonNullable<Answer<'auth.verify'>['partner_agent']>
export type PartnerFinding =
  | { status: 'ok'; agent: PartnerAgent | null }
  | { status: 'unreadable'; why: string }

/** The agent registry on chain, as sign-in asks it. */
export interface PartnerRegistry {
  /** The agent a wallet acts for. Throws when the registry cannot be read. */
  find(wallet: Address): Promise<PartnerFinding>
}

/** Addresses are in lower case; symbol and name are the owner's own text. */
export interface VaultAgent {
  id: string
  owner: Address
  agentWallet: Address
  beneficiary: Address
  /** All zero where the agent has none. */
  token: Address
  symbol: string
  name: string
}

/** The agent registry's records and vault. Each read throws when the node does not answer it. */
export interface AgentVault {
  /** Null when there is no such agent. */
  agent(id: string): Promise<VaultAgent | null>
  /** Many in one request; an agent that could not be read is undefined. */
  agents(ids: readonly string[]): Promise<(VaultAgent | null | undefined)[]>
  /** Principal and gain not yet withdrawn, as of a block. */
  stake(id: string, block: number | 'latest'): Promise<{ principal: bigint; gain: bigint }>
  /** Gains withdrawn in these blocks, both included. */
  gainWithdrawn(id: string, fromBlock: number, toBlock: number): Promise<bigint>
}

/** One kind of registry: everything Pit asks of it. */
export interface AgentRegistry extends PartnerRegistry, AgentVault {
  /** The tokens of all agents. */
  tokens(): Promise<ReadonlySet<Address>>
}

export const MAX_UINT256 = 2n ** 256n - 1n
const MAX_TEXT_CHARS = 64

/** Text that an owner chose; null if it is blank or has invisible characters. */
export const shortText = (text: string): string | null => visibleName(text, MAX_TEXT_CHARS)
