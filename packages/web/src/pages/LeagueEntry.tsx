import { type Answer, type Board, CONFIRMATION } from '@pit/protocol'
import {
  Badge,
  Button,
  Card,
  CheckField,
  ConfirmButton,
  centsUsd,
  Dialog,
  Failure,
  SelectField,
  signedPct,
  Table,
  TextField,
  toast,
  usePins,
} from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useAccount } from '../data/account.ts'
import { call, queries, useRead } from '../data/api.ts'
import { openClient, signInDomain } from '../wallet/connect.ts'
import { NeedsWallet } from '../wallet/NeedsWallet.tsx'
import { nameOf } from './Agents.tsx'

type Entry = Answer<'league.me'>['entries'][number]
type Row = Answer<'league.standings'>['rows'][number]

const BOARD_NAMES: Record<Board, string> = { prize: 'Prize board', practice: 'Practice board' }
const refresh = () => {
  void queries.invalidateQueries({ queryKey: ['league.me'] })
  void queries.invalidateQueries({ queryKey: ['league.standings'] })
  void queries.invalidateQueries({ queryKey: ['league'] })
}

/** The visitor's entries with their places, and the way to enter. */
export function LeagueEntry({ nextSeason }: { nextSeason: number | undefined }) {
  const signedIn = useAccount()
  const [isEntering, setEntering] = useState(false)
  return (
    <Card
      title="My entries"
      flush={signedIn !== null}
      actions={
        signedIn && (
          <Button kind="primary" tight onClick={() => setEntering(true)}>
            Enter
          </Button>
        )
      }
    >
      <NeedsWallet why="Sign in to enter and to see your place.">
        <Entries />
        <Dialog title="Enter the league" open={isEntering} onClose={() => setEntering(false)}>
          <EnterForm nextSeason={nextSeason} onEntered={() => setEntering(false)} />
        </Dialog>
      </NeedsWallet>
    </Card>
  )
}

function Entries() {
  const mine = useRead('league.me', {}, { everyMs: 30_000 })
  const prize = useRead('league.standings', { query: { board: 'prize' } }, { everyMs: 15_000 })
  const practice = useRead('league.standings', { query: { board: 'practice' } }, { everyMs: 15_000 })
  const rows = new Map<number, Row>(
    [...(prize.data?.rows ?? []), ...(practice.data?.rows ?? [])].map((row) => [row.entry_id, row]),
  )
  const leaving = useMutation({
    mutationFn: ({ board, agent_id, hosted_id }: Entry) =>
      call('league.leave', { body: hosted_id ? { hosted_id } : { board, agent_id } }),
    onSuccess: () => toast('You left the board.'),
    onSettled: refresh,
  })
  const entries = mine.data?.entries.filter(({ status }) => status === 'active') ?? []
  return (
    <>
      {leaving.error && <Failure error={leaving.error} />}
      {mine.error && <Failure error={mine.error} />}
      <Table
        caption="My entries"
        columns={[
          {
            head: 'Entry',
            cell: ({ name, symbol, agent_id, hosted_id }: Entry) =>
              `${(name ?? symbol ?? `Agent #${agent_id}`).slice(0, 32)}${hosted_id ? ', paper agent' : ''}`,
          },
          { head: 'Board', cell: ({ board }: Entry) => BOARD_NAMES[board] },
          { head: 'Place', right: true, cell: ({ entry_id }: Entry) => placeText(rows.get(entry_id)) },
          {
            head: 'Profit',
            right: true,
            cell: ({ entry_id }: Entry) => centsUsd(rows.get(entry_id)?.profit_usd),
          },
          {
            head: 'Return',
            right: true,
            cell: ({ entry_id }: Entry) => signedPct(rows.get(entry_id)?.return_pct),
          },
          { head: 'State', cell: (entry: Entry) => <EntryState entry={entry} /> },
          {
            head: 'Action',
            cell: (entry: Entry) => (
              <ConfirmButton
                label="Leave"
                question="Leave this board at once? You may enter again for the next season."
                tight
                busy={leaving.isPending && leaving.variables.entry_id === entry.entry_id}
                onConfirm={() => leaving.mutate(entry)}
              />
            ),
          },
        ]}
        rows={entries}
        keyOf={({ entry_id }) => entry_id}
        empty={mine.data ? 'You have not entered yet.' : 'Loading…'}
      />
    </>
  )
}

const placeText = (row: Row | undefined): string => (row ? `${row.rank}.` : '–')

function EntryState({ entry: { playing, from_season, confirmed } }: { entry: Entry }) {
  return (
    <span className="row">
      <Badge tone={playing ? 'up' : 'plain'}>{playing ? 'Playing' : `From season ${from_season}`}</Badge>
      {confirmed === false && <Badge tone="warn">Cannot win: not confirmed</Badge>}
    </span>
  )
}

const ACCOUNT = 'account'

/** The client builds the statement itself and signs it only if the server's is the same. */
function EnterForm({ nextSeason, onEntered }: { nextSeason: number | undefined; onEntered(): void }) {
  const [board, setBoard] = useState<Board>('practice')
  const [agentId, setAgentId] = useState('')
  const [player, setPlayer] = useState(ACCOUNT)
  const [isConfirmed, setConfirmed] = useState(false)
  const isDevnet = usePins().data?.profile.kind === 'devnet'
  const agents = useRead('hosted.list', {})
  const papers =
    agents.data?.agents.filter(({ mode, status }) => mode === 'paper' && status !== 'stopped') ?? []
  const entering = useMutation({
    mutationFn: async () => {
      const { client } = await openClient()
      const request = { agentId: agentId.trim(), board, domain: await signInDomain() }
      if (board === 'prize')
        return client.league.enter({ ...request, kind: 'wallet', entrant: client.address })
      if (player !== ACCOUNT)
        return client.league.enter({ ...request, kind: 'hosted', entrant: player, hostedId: player })
      const { account } = await call('auth.me', {})
      return client.league.enter({ ...request, kind: 'account', entrant: String(account.id) })
    },
    onSuccess: ({ from_season }) => {
      toast(`Entered: you play from season ${from_season}.`)
      onEntered()
    },
    onSettled: refresh,
  })
  const isReady = /^\d{1,30}$/.test(agentId.trim()) && (board === 'practice' || isConfirmed)
  return (
    <>
      <p>{`You play from ${nextSeason === undefined ? 'the next season' : `season ${nextSeason}`}. Entering costs no gas: you sign a statement.`}</p>
      <SelectField
        label="Board"
        value={board}
        onChange={(value) => setBoard(value as Board)}
        choices={[
          { value: 'practice', label: 'Practice: on paper, no prizes' },
          { value: 'prize', label: 'Prize: real trades of your wallet' },
        ]}
      />
      <TextField
        label="Your agent’s number in the registry"
        value={agentId}
        onChange={setAgentId}
        hint={
          isDevnet
            ? 'Your wallet must own it. Here test account 1 owns agent 2, account 2 agent 3, up to agent 7.'
            : 'Your wallet must own it.'
        }
      />
      {board === 'practice' && (
        <SelectField
          label="Who trades"
          value={player}
          onChange={setPlayer}
          choices={[
            { value: ACCOUNT, label: 'You, by paper orders' },
            ...papers.map((agent) => ({ value: agent.id, label: `${nameOf(agent)} (paper agent)` })),
          ]}
          hint="A paper agent needs core tokens against USDG and an interval of 5 minutes or more."
        />
      )}
      {board === 'prize' && <CheckField label={CONFIRMATION} checked={isConfirmed} onChange={setConfirmed} />}
      {entering.error && <Failure error={entering.error} />}
      <div className="row">
        <Button
          kind="primary"
          disabled={!isReady}
          busy={entering.isPending}
          onClick={() => entering.mutate()}
        >
          Sign and enter
        </Button>
      </div>
    </>
  )
}
