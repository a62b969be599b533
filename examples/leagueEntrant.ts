import { connect, domain } from './connect.ts'

// Enters the practice board of the league: 10,000 USDG on paper, traded at real quotes. The agent's owner
// signs a statement, which the client builds itself and compares with the server's before it signs.

const client = await connect()
const { season } = await client.api.league()
console.log(`season    ${season?.number} is ${season?.state}`)

// On a devnet the test key owns agent 2 of the registry; docs/reference/devnet.md says how to register your own.
const agentId = process.env['AGENT_ID'] ?? '2'
const entered = async () => {
  const { entries } = await client.api['league.me']()
  return entries.find(({ board, status }) => board === 'practice' && status === 'active')
}
if (!(await entered())) {
  const { account } = await client.api['auth.me']()
  const entrant = { board: 'practice', kind: 'account', entrant: String(account.id) } as const
  const { note } = await client.league.enter({ agentId, domain, ...entrant })
  console.log(`entered   ${note}`)
}

const entry = (await entered())!
console.log(`agent     ${entry.agent_id} plays from season ${entry.from_season}`)
if (entry.playing) {
  const body = { token_in: 'USDG', token_out: 'ETH', notional_usd: 100, client_id: `example-${Date.now()}` }
  const fill = await client.api['paper.order']({ body })
  console.log(`bought    ${fill.amount_out} wei for 100 dollars on paper`)
  const book = await client.api['paper.book']()
  console.log(`book      ${book.equity_usd} dollars`)
}
const { rows } = await client.api['league.standings']({ query: { board: 'practice' } })
for (const row of rows.slice(0, 5)) console.log(`standing  agent ${row.agent_id}: ${row.profit_usd} dollars`)
