import { readFileSync } from 'node:fs'
import type { ChainProfile } from '@pit/protocol'
import { recoverTransactionAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { createSigner } from './signer.ts'
import { SCRYPT } from './walletFile.ts'

const RETURN = '0x00000000000000000000000000000000000be11e'
const profile = JSON.parse(readFileSync('fixtures/pins.json', 'utf8')) as ChainProfile
const place = { profile, host: 'pit.example', curves: [] }
const CHEAP = { ...SCRYPT, n: 1_024 }
const open = () => createSigner({ cost: CHEAP })
const NEW = { secret: 'correct horse', return_address: RETURN, passkey: null, lock_minutes: 15 } as const
const payment = (to: string) =>
  ({
    kind: 'transaction',
    payload: {
      ...{ to, value: '1', data: '0x', gas: '21000', nonce: '0' },
      ...{ maxFeePerGas: '1', maxPriorityFeePerGas: '0' },
    },
  }) as const

describe('the signer', () => {
  it('signs nothing and changes nothing while it is locked', async () => {
    const signer = open()
    const calls = [
      signer.sign({ request: payment(RETURN), place }),
      signer.change({ backed_up: true }),
      signer.reseal({ secret: 'x' }),
    ]
    for (const call of calls) await expect(call).rejects.toThrow('The wallet is locked.')
  })

  it('creates a wallet without a verified backup, and another signer opens it with its secret', async () => {
    const file = await open().create(NEW)
    expect(file.pit!.about).toMatchObject({ backed_up: false, return_address: RETURN })
    const other = open()
    await expect(other.open({ file, secret: 'wrong horse' })).rejects.toMatchObject({ code: 'WRONG_SECRET' })
    await expect(other.sign({ request: payment(RETURN), place })).rejects.toThrow('locked')
    await other.open({ file, secret: NEW.secret })
    const raw = await other.sign({ request: payment(RETURN), place })
    const sender = await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })
    expect(sender.toLowerCase()).toBe(`0x${file.address}`)
  })

  it('keeps the return address of the file, whatever is handed in', async () => {
    const file = await open().create(NEW)
    const signer = open()
    const thief = `0x${'5'.repeat(40)}` as const
    const opened = await signer.open({ file, secret: NEW.secret, return_address: thief })
    expect(opened.pit!.about.return_address).toBe(RETURN)
    await expect(signer.sign({ request: payment(thief), place })).rejects.toThrow('only its return address')
  })

  it('refuses an unknown call until the wallet’s own record offers it, and then names the callee', async () => {
    const callee = `0x${'5'.repeat(40)}` as const
    const { payload } = payment(callee)
    const request = { kind: 'transaction', payload: { ...payload, data: '0xdeadbeef' } } as const
    const signer = open()
    const file = await signer.create(NEW)
    await expect(signer.review({ request, place })).rejects.toThrow('Unknown calls are off')
    await expect(signer.sign({ request, place })).rejects.toMatchObject({ code: 4100 })
    const allowing = await signer.change({ unknown_calls: true })
    expect(await signer.review({ request, place })).toMatchObject({
      confirmAddresses: [callee],
      isReturn: false,
    })
    // The record's MAC covers the setting: storage alone cannot switch it on.
    const edited = { ...file, pit: { ...file.pit!, about: allowing.pit!.about } }
    await expect(open().open({ file: edited, secret: NEW.secret })).rejects.toMatchObject({ code: 'CHANGED' })
  })

  it('checks a backup without unlocking it', async () => {
    const [signer, other] = [open(), open()]
    const file = await signer.create(NEW)
    const foreign = await other.create(NEW)
    expect(await signer.check({ file: foreign, secret: NEW.secret })).toBe(`0x${foreign.address}`)
    expect((await signer.change({ backed_up: true })).address).toBe(file.address)
  })

  it('gives a passkey’s wallet a backup under a passphrase', async () => {
    const signer = open()
    const passkey = { credential_id: 'AA', salt: '00'.repeat(32) }
    const file = await signer.create({ ...NEW, secret: 'ab'.repeat(32), passkey })
    const backup = await signer.reseal({ secret: 'a passphrase' })
    expect(backup.pit!.about.passkey).toBeNull()
    expect(await open().check({ file: backup, secret: 'a passphrase' })).toBe(`0x${file.address}`)
  })

  it('opens a file of another program once it has a return address', async () => {
    const { pit: _, address: __, ...keystore } = await open().create(NEW)
    await expect(open().open({ file: keystore, secret: NEW.secret })).rejects.toThrow('no return address')
    const opened = await open().open({ file: keystore, secret: NEW.secret, return_address: RETURN })
    expect(opened.pit!.about).toMatchObject({ return_address: RETURN, backed_up: true })
    expect(await open().check({ file: opened, secret: NEW.secret })).toBe(`0x${opened.address}`)
  })
})
