import { connect, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createPeerCheck, peerUser } from './peerUser.ts'

/** A connection to this process from itself, as the listening end sees it. */
async function connected(): Promise<Socket> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve))
  const client = connect(port, '127.0.0.1')
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  return accepted
}

it.runIf(process.platform === 'linux')('finds the user of the other end', async () => {
  const socket = await connected()
  expect(peerUser(socket)).toBe(process.getuid?.())
  expect(peerUser({ localPort: socket.localPort!, remotePort: 1 })).toBeUndefined()
})

it('detects a caller that could read the signer’s files', () => {
  const shares = (user: number | undefined) => {
    let lookups = 0
    const check = createPeerCheck({
      ownUser: 1_000,
      userOf: () => {
        lookups++
        return user
      },
    })
    const socket = {} as Socket
    const answers = [check(socket), check(socket)]
    expect([lookups, answers[1]]).toEqual([1, answers[0]])
    return answers[0]
  }
  expect([1_000, 0, 1_001, undefined].map(shares)).toEqual([true, true, false, false])
})
