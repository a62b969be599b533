import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Address, Crypto } from '@pit/chain'
import type { Db } from '@pit/platform/db'
import { randomKey } from '../keys/openKeyFile.ts'
import { KeyError, openKey, sealKey } from '../keys/sealKey.ts'

export type Vault = Awaited<ReturnType<typeof openVault>>

const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Executors' keys. They are created here and sealed by a vault key, which itself is sealed by the passphrase:
 * opening an executor's key does not cost scrypt's half second each time. A key is open only while it signs.
 */
export async function openVault({
  db,
  crypto,
  cosigner,
  passphrase,
  n,
}: {
  db: Db
  crypto: Crypto
  cosigner: Address
  passphrase: string
  /** Cost of a guess; tests make it cheap. */
  n?: number
}) {
  const master = await openKey(await sealedMaster(), { passphrase, kind: 'executors' })
  let open = true

  async function sealedMaster(): Promise<unknown> {
    const read = () => db.query<{ sealed: unknown }>('select sealed from executor_vault where id = 1')
    const [known] = await read()
    if (known) return known.sealed
    const key = randomBytes(32)
    const costs = n === undefined ? {} : { n }
    const sealed = await sealKey(key, { kind: 'executors', address: cosigner, passphrase, ...costs })
    key.fill(0)
    // If two processes start at once, both use the first one's key.
    await db.query('insert into executor_vault values (1, $1) on conflict do nothing', [
      JSON.stringify(sealed),
    ])
    return (await read())[0]!.sealed
  }

  const aadOf = (address: Address): Buffer => Buffer.from(`pit executor 1 ${address}`, 'utf8')
  function seal(key: Buffer, address: Address): Uint8Array {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', master, iv).setAAD(aadOf(address))
    const data = Buffer.concat([cipher.update(key), cipher.final()])
    return Buffer.concat([iv, cipher.getAuthTag(), data])
  }
  function unseal(sealed: Uint8Array, address: Address): Buffer {
    const bytes = Buffer.from(sealed)
    const decipher = createDecipheriv('aes-256-gcm', master, bytes.subarray(0, IV_BYTES))
      .setAAD(aadOf(address))
      .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
    try {
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()])
    } catch {
      throw new KeyError(`the stored key of executor ${address} was changed`)
    }
  }
  const needOpen = (): void => {
    if (!open) throw new Error('the executors’ keys are closed')
  }

  return {
    /** Creates a key; only its address and its sealed form leave the vault. */
    make(): { address: Address; sealed: Uint8Array } {
      needOpen()
      const key = randomKey(crypto)
      const address = crypto.addressOf(key)
      const sealed = seal(key, address)
      key.fill(0)
      return { address, sealed }
    },
    /** Passes the key to `use` and wipes it afterwards. */
    withKey<T>(executor: { address: Address; sealedKey: Uint8Array }, use: (key: Uint8Array) => T): T {
      needOpen()
      const key = unseal(executor.sealedKey, executor.address)
      try {
        if (crypto.addressOf(key) !== executor.address)
          throw new KeyError(`the stored key of executor ${executor.address} is another’s`)
        return use(key)
      } finally {
        key.fill(0)
      }
    },
    close(): void {
      open = false
      master.fill(0)
    },
  }
}
