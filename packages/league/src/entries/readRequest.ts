import type { AgentVault, VaultAgent } from '@pit/agent-registry'
import type { Address } from '@pit/chain'
import { type Board, fail, LEAGUE, PRACTICE_ASSETS, PRACTICE_QUOTE } from '@pit/protocol'
import type { LeagueDeps, Player } from '../deps.ts'
import { RULES } from '../rules/index.ts'
import type { Entrant } from './store.ts'

/** Fields that statement, enter and confirm have in common. */
export interface EntryRequest {
  wallet: Address
  agentId: string
  board: Board
  entrant: Entrant
}

/** An entry as the player requests it; without a board, the entrant decides it. */
export interface EntryNamed {
  agentId: string
  board?: Board | undefined
  hostedId?: string | undefined
}

/** Resolves board and entrant. Refuses an entrant that the board does not accept. */
export async function readEntryRequest(
  deps: Pick<LeagueDeps, 'db' | 'accounts' | 'hosted'>,
  { wallet, accountId }: Player,
  { agentId, hostedId, ...named }: EntryNamed,
): Promise<EntryRequest> {
  const board = named.board ?? (hostedId === undefined ? 'prize' : 'practice')
  if (hostedId !== undefined) {
    if (board === 'prize') fail('PRIZE_IS_LIVE')
    await checkHosted(deps, wallet, hostedId)
    return { wallet, agentId, board, entrant: { kind: 'hosted', wallet, hostedId } }
  }
  if (board === 'prize') return { wallet, agentId, board, entrant: { kind: 'wallet', wallet } }
  await checkDivision(deps, accountId)
  return { wallet, agentId, board, entrant: { kind: 'account', wallet, accountId } }
}

async function checkHosted({ hosted }: Pick<LeagueDeps, 'hosted'>, wallet: Address, hostedId: string) {
  if (!hosted) fail('HOSTED_UNAVAILABLE')
  const agent = await hosted.agentOf(hostedId)
  if (!agent || agent.deletedAtS !== null) fail('NOT_FOUND', { message: 'There is no such hosted agent.' })
  if (agent.wallet !== wallet) fail('FORBIDDEN', { message: 'This hosted agent is another wallet’s.' })
  if (agent.status === 'stopped') fail('STOPPED')
  if (agent.mode !== 'paper') fail('LEAGUE_PAPER_ONLY')
  refuseUnfit(agent)
}

/** Refuses a hosted agent whose pairs or interval the practice board does not accept. */
export function refuseUnfit({ pairs, intervalS }: { pairs: readonly string[]; intervalS: number }): void {
  const allowed = new Set<string>(PRACTICE_ASSETS.map((asset) => `${asset}/${PRACTICE_QUOTE}`))
  const strange = pairs.find((pair) => !allowed.has(pair))
  if (strange !== undefined) fail('LEAGUE_PAIRS', { message: `${strange} is not traded there.` })
  if (intervalS < LEAGUE.practiceMinIntervalS) fail('LEAGUE_INTERVAL')
}

async function checkDivision({ db, accounts }: Pick<LeagueDeps, 'db' | 'accounts'>, accountId: number) {
  const division = (await accounts.divisionOf(db, accountId)) ?? RULES.practiceDivision
  if (division !== RULES.practiceDivision)
    fail('LEAGUE_DIVISION', {
      message: `The account trades ${division}, the practice board ${RULES.practiceDivision}.`,
    })
}

/** The agent as the registry has it now. */
export async function readAgent(
  { vault, logger }: Pick<LeagueDeps, 'logger'> & { vault: AgentVault | null },
  agentId: string,
): Promise<VaultAgent> {
  if (!vault) fail('LEAGUE_UNAVAILABLE', { message: 'This chain has no agent registry.' })
  const agent = await vault.agent(agentId).catch((error: unknown) => {
    logger.warn({ err: error, agentId }, 'the agent registry cannot be read')
    return fail('LEAGUE_UNAVAILABLE', { message: 'The agent registry cannot be read now.' })
  })
  return agent ?? fail('NOT_AN_AGENT', { field: 'agent_id' })
}

/** Refuses an agent with an address on the sanctions list; `field` names the address. */
export function refuseSanctioned(
  { isSanctioned }: Pick<LeagueDeps, 'isSanctioned'>,
  who: { owner: Address; agentWallet: Address; beneficiary: Address },
): void {
  const named = { owner: who.owner, agent_wallet: who.agentWallet, beneficiary: who.beneficiary }
  for (const [field, address] of Object.entries(named)) {
    if (isSanctioned(address))
      fail('SANCTIONED', {
        field,
        message: `The agent’s ${field.replace('_', ' ')} is on the sanctions list.`,
      })
  }
}
