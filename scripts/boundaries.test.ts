import { describe, expect, it } from 'vitest'
import { findCrossings } from './boundaries.mjs'

const crossings = (files: Record<string, string>): string[] => findCrossings(new Map(Object.entries(files)))
/** A small repository without violations; each test adds one. */
const HOUSE = {
  'packages/relay/migrations/0015_trades.sql': 'create table trades (id int8 primary key);',
  'packages/relay/src/tradeRows.ts': "export const READ = 'select id from trades where id = $1'",
  'packages/relay/src/index.ts': "export { READ } from './tradeRows.ts'",
  'packages/trading/src/index.ts': "import { READ } from '@pit/relay'\nexport const plan = READ",
  'packages/server/src/routes/relay.ts':
    "import type { Caller } from '../http/types.ts'\nimport '@pit/relay'",
  'packages/server/src/http/types.ts': 'export interface Caller { requestId: string }',
}

describe('the boundary check', () => {
  it('passes a repository that respects the boundaries', () => {
    expect(crossings(HOUSE)).toEqual([])
  })

  it.each([
    ['relay', 'trading'],
    ['market', 'server'],
    ['treasury', 'league'],
    ['protocol', 'chain'],
    ['signer', 'plans'],
    ['client', 'plans'],
    ['trading', 'sessions'],
  ])('finds an import that points up: %s of %s', (from, to) => {
    const file = `packages/${from}/src/up.ts`
    expect(crossings({ ...HOUSE, [file]: `import { x } from '@pit/${to}'` })).toEqual([
      `${file}: ${from} may not import @pit/${to}`,
    ])
  })

  it('finds an import past a package’s public interface, except in tests', () => {
    const text = "import { READ } from '@pit/relay/internal/tradeRows'"
    expect(crossings({ ...HOUSE, 'packages/trading/src/past.ts': text })).toHaveLength(1)
    expect(crossings({ ...HOUSE, 'packages/trading/src/past.test.ts': text })).toEqual([])
    const reaching = "import { READ } from '../../relay/src/tradeRows.ts'"
    expect(crossings({ ...HOUSE, 'packages/trading/src/past.ts': reaching })).toHaveLength(1)
  })

  it('finds Node in what runs in a browser', () => {
    const text = "import { readFileSync } from 'node:fs'"
    expect(crossings({ 'packages/brains/src/x.ts': text })).toHaveLength(1)
    expect(crossings({ 'packages/agents/src/run/x.ts': text })).toEqual([])
  })

  it.each([
    "import type { Caller } from 'somewhere'",
    'export const quote = (call: Call<"live.quote">) => call',
    "export function submit(body: Body<'live.submit'>) {}",
    'export type Routes = Handlers',
    "import type { IncomingMessage } from 'node:http'",
  ])('finds words of HTTP outside the server: %s', (text) => {
    expect(crossings({ ...HOUSE, 'packages/relay/src/http.ts': text })).toHaveLength(1)
    expect(crossings({ ...HOUSE, 'packages/server/src/http.ts': text })).toEqual([])
  })

  it('ignores words of HTTP in comments', () => {
    expect(crossings({ 'packages/relay/src/x.ts': '// What a Caller sends.\nexport const x = 1' })).toEqual(
      [],
    )
  })

  it.each([
    "await db.query('select 1 from trades')",
    'await db.query(`update trades set status = $1`)',
    'await db.query(`insert into trades (id) values (1)`)',
    'await db.query(`select 1 from own_rows o join trades t on t.id = o.id`)',
    'await db.query(`delete from trades`)',
  ])('finds SQL on another owner’s table: %s', (text) => {
    const file = 'packages/treasury/src/store.ts'
    expect(crossings({ ...HOUSE, [file]: text })).toEqual([
      `${file}: the table trades is relay's; ask its face`,
    ])
    expect(crossings({ ...HOUSE, 'packages/relay/src/store.ts': text })).toEqual([])
  })

  it('finds another owner’s table in a new migration, and ignores the early ones', () => {
    const sql = 'alter table trades add column x int8;'
    expect(crossings({ ...HOUSE, 'packages/league/migrations/0016_x.sql': sql })).toHaveLength(1)
    expect(crossings({ ...HOUSE, 'packages/league/migrations/0009_x.sql': sql })).toEqual([])
  })

  it('finds files that import each other in a circle, types too', () => {
    const circles = crossings({
      'packages/relay/src/a.ts': "import { b } from './b.ts'",
      'packages/relay/src/b.ts': "import { c } from './c.ts'",
      'packages/relay/src/c.ts': "import type { A } from './a.ts'",
    })
    expect(circles).toHaveLength(1)
    expect(circles[0]).toContain('imports itself')
  })

  it('finds files that read the environment', () => {
    expect(crossings({ 'packages/relay/src/x.ts': 'process.env.X' })).toHaveLength(1)
    expect(crossings({ 'packages/server/src/config.ts': 'process.env.X' })).toEqual([])
  })
})
