import { expect, it } from 'vitest'
import { showStages } from './stages.ts'

it('explains why it waits after the server refused signed bytes', () => {
  const shown: string[] = []
  let open = 0
  const progress = (text: string) => {
    shown.push(text)
    open++
    return () => {
      open--
    }
  }
  const stages = showStages({ progress }, 'Signing and sending', () => 1_000_000)
  stages.onStage({ stage: 'signed', hashes: [], signed: {} as never })
  stages.onStage({ stage: 'following', code: 'POOL_FAR', untilS: 1_041.2 })
  stages.onStage({ stage: 'mined', receipt: {} as never })
  stages.end()
  expect(shown).toEqual([
    'Signing and sending',
    'Signed; relaying',
    'The server did not confirm the transaction (POOL_FAR). Waiting for its deadline to pass, to be sure it ' +
      'was not sent: up to 42 s',
  ])
  expect(open).toBe(0)
})
