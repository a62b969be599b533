import {
  type Address,
  curveLeaf,
  encodeRedeem,
  feeLeaf,
  type Hex,
  parseSignedTx,
  payFee,
  senderOf,
  signAuthorization,
  signDelegation,
} from '@pit/chain'
import { encodeCurveTrade } from '@pit/plans'
import { withDb } from '@pit/platform/test/withDb'
import { executorAttestationText } from '@pit/protocol'
import type { ExecutorTx } from '@pit/signer-wire'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  BASE_FEE,
  callNonce,
  type ExecutorWorld,
  emptyExecutors,
  openExecutorWorld,
  PASSPHRASE,
  redeemTx,
  refusedAs,
} from '../../test/executorWorld.ts'
import {
  CURVE,
  crypto,
  FEE_RECIPIENT,
  KEYS,
  keyOf,
  NOW_S,
  PINS,
  ROUTER,
  STRANGER,
  WHO,
} from '../../test/kit.ts'
import { ledgerMigrations } from '../ledger/openLedger.ts'
import { createExecutor, describeExecutor } from './createExecutor.ts'
import { openVault } from './openVault.ts'
import { signExecutorTx } from './signExecutorTx.ts'

withDb(
  'executors of hosted agents',
  (db) => {
    let world: ExecutorWorld
    beforeEach(async () => {
      await emptyExecutors(db)
      world = await openExecutorWorld(db)
    })

    describe('an executor', () => {
      it('comes with the co-signer’s attestation of its owner', async () => {
        const made = await createExecutor(world.deps, {
          agentId: 'agt_1',
          owner: WHO.wallet,
          callNonce: callNonce(),
        })
        const { executor, attestation } = made
        const text = executorAttestationText({ executor, owner: WHO.wallet, agentId: 'agt_1', chainId: 4663 })
        expect(attestation).toMatchObject({ text, cosigner: WHO.cosigner })
        expect(crypto.recoverMessage(text, attestation.signature)).toBe(WHO.cosigner)
        expect(await describeExecutor(world.deps, executor)).toEqual({
          executor,
          owner: WHO.wallet,
          agent_id: 'agt_1',
          created_at: NOW_S,
          closed: false,
          closed_at: null,
          attestation,
          active_roots: 0,
          stock: null,
          stock_not_before: null,
          refund: null,
        })
      })

      it('is new for each call, and refused for a repeated call', async () => {
        const nonce = callNonce()
        const request = { agentId: 'agt_1', owner: WHO.wallet, callNonce: nonce }
        const { executor } = await createExecutor(world.deps, request)
        expect(await refusedAs(createExecutor(world.deps, request))).toBe('UNAUTHORIZED')
        expect(await world.create()).not.toBe(executor)
      })

      it('is the same if an agent’s first one is requested again', async () => {
        const ask = () =>
          createExecutor(world.deps, {
            agentId: 'agt_1',
            owner: WHO.wallet,
            callNonce: callNonce(),
            isFirst: true,
          })
        const [one, two] = await Promise.all([ask(), ask()])
        expect(two).toEqual(one)
        expect(await ask()).toEqual(one)
        expect(await world.create('agt_1')).not.toBe(one.executor)
        expect(await ask()).toEqual(one)
      })

      it('is refused to a sanctioned owner, a contract of the profile, another executor, or while frozen', async () => {
        const own = await world.create()
        expect(await refusedAs(world.create('a', ROUTER))).toBe('BAD_REQUEST')
        expect(await refusedAs(world.create('a', own))).toBe('BAD_REQUEST')
        world.sanctioned.add(WHO.wallet)
        expect(await refusedAs(world.create())).toBe('SANCTIONED')
        world.sanctioned.clear()
        await world.ledger.setFrozen(true, callNonce())
        expect(await refusedAs(world.create())).toBe('SIGNER_FROZEN')
        expect(await refusedAs(describeExecutor(world.deps, STRANGER))).toBe('NO_EXECUTOR')
      })

      it('has a key that rests sealed, and opens only by the passphrase and for its own address', async () => {
        const [one, other] = [await world.create(), await world.create()]
        const rows = await db.query<{ address: Address; sealed_key: Uint8Array }>(
          'select address, sealed_key from executors',
        )
        const sealedKey = rows.find(({ address }) => address === one)!.sealed_key
        const { vault } = world.deps
        const seen = vault.withKey({ address: one, sealedKey }, (key) => ({ key, at: Buffer.from(key) }))
        expect(crypto.addressOf(seen.at)).toBe(one)
        // Wiped after use, and not contained in the stored bytes.
        expect([...seen.key].every((byte) => byte === 0)).toBe(true)
        expect(Buffer.from(sealedKey).includes(seen.at)).toBe(false)
        expect(() => vault.withKey({ address: other, sealedKey }, () => 1)).toThrow('was changed')
        const again = { db, crypto, cosigner: WHO.cosigner, n: 2 ** 15 }
        const reopened = await openVault({ ...again, passphrase: PASSPHRASE })
        expect(reopened.withKey({ address: one, sealedKey }, (key) => crypto.addressOf(key))).toBe(one)
        await expect(openVault({ ...again, passphrase: 'another passphrase' })).rejects.toThrow(
          'does not open the key of the executors’ keys',
        )
        reopened.close()
        expect(() => reopened.make()).toThrow('closed')
      })
    })

    describe('an executor’s transaction', () => {
      let executor: Address
      let registered: Awaited<ReturnType<ExecutorWorld['register']>>
      let leaf: Exclude<Awaited<ReturnType<ExecutorWorld['cosign']>>, string[]>
      beforeEach(async () => {
        executor = await world.create()
        registered = await world.register(executor)
        leaf = (await world.cosign(registered.session.root)) as typeof leaf
      })
      const tx = (change: Partial<ExecutorTx> = {}) => redeemTx(leaf, registered.stored.root, change)
      const sign = (change: Partial<ExecutorTx> = {}) =>
        signExecutorTx(world.deps, { executor, tx: tx(change) })

      it('is signed if it redeems its own leaf', async () => {
        const { raw, tx_hash } = await sign({ nonce: 3 })
        const parsed = parseSignedTx(raw)
        if (!parsed.ok) throw new Error(parsed.why)
        expect(parsed.tx).toMatchObject({
          type: 2,
          chainId: 4663,
          nonce: 3,
          to: PINS.addresses.manager,
          value: 0n,
          data: tx().data,
          maxFeePerGas: 2n * BASE_FEE,
        })
        expect(senderOf(crypto, parsed.tx)).toBe(executor)
        expect(crypto.keccak256(raw)).toBe(tx_hash)
      })

      it('carries the wallet’s own authorization to the delegator, and no other', async () => {
        const authorize = (change: object, key: Hex = KEYS.wallet) => [
          signAuthorization(
            crypto,
            { chainId: 4663, address: PINS.addresses.delegator, nonce: 0, ...change },
            key,
          ),
        ]
        const { raw } = await sign({ authorizations: authorize({}) })
        expect(raw.startsWith('0x04')).toBe(true)
        const rule = 'TX_REFUSED TX_AUTHORIZATION'
        expect(await refusedAs(sign({ authorizations: authorize({ chainId: 0 }) }))).toBe(rule)
        expect(await refusedAs(sign({ authorizations: authorize({ address: STRANGER }) }))).toBe(rule)
        expect(await refusedAs(sign({ authorizations: authorize({}, keyOf('mallory')) }))).toBe(rule)
      })

      it('redeems a curve leaf with what pays its fee', async () => {
        const { stored, session } = await world.register(executor, { curves: true })
        const counted = await world.cosign(session.root)
        if (Array.isArray(counted)) throw new Error(counted.join())
        const { curve } = session
        const execution = {
          target: CURVE,
          valueWei: 10n ** 15n,
          data: encodeCurveTrade({
            launchpad: 'pit',
            side: 'buy',
            amountIn: 10n ** 15n,
            amountOutMin: 1n,
            recipient: WHO.wallet,
            deadlineS: BigInt(NOW_S + 100),
          }),
        }
        const by = <T extends Parameters<typeof signDelegation>[2]>(one: T) =>
          signDelegation(crypto, PINS.addresses, one, KEYS.cosigner)
        const made = by(
          curveLeaf(PINS.addresses, {
            root: curve!.root,
            feeRoot: curve!.fee,
            feeWei: 5n,
            execution,
            sequence: 1,
            nowS: NOW_S,
          }),
        )
        const fee = by(feeLeaf(crypto, PINS.addresses, { feeRoot: curve!.fee, leaf: made, nowS: NOW_S }))
        const [curveRoot, feeRoot] = stored.curveRoots
        const data = (delegations: Parameters<typeof payFee>[2], root = curveRoot!) =>
          encodeRedeem([{ delegations: [payFee(PINS.addresses, made, delegations), root], execution }])
        expect(await sign({ data: data([fee, feeRoot!]) })).toMatchObject({ raw: expect.any(String) })
        const bare = encodeRedeem([{ delegations: [made, curveRoot!], execution }])
        const forged = {
          ...fee,
          signature: signDelegation(crypto, PINS.addresses, fee, keyOf('m')).signature,
        }
        expect(await refusedAs(sign({ data: bare }))).toBe('TX_REFUSED TX_CALLDATA')
        expect(await refusedAs(sign({ data: data([forged, feeRoot!]) }))).toBe('TX_REFUSED TX_CALLDATA')
        expect(await refusedAs(sign({ data: data([fee, curveRoot!]) }))).toBe('TX_REFUSED TX_CALLDATA')
        expect(FEE_RECIPIENT).toBe(curve!.fee.recipient)
      })

      it.each<[string, Partial<ExecutorTx>, string]>([
        ['to another address', { to: STRANGER }, 'TX_TARGET'],
        ['with ETH', { value_wei: 1n }, 'TX_VALUE'],
        ['with gas beyond a trade', { gas: 8_000_001 }, 'TX_GAS'],
        ['with a fee beyond ten base fees', { max_fee_per_gas: 10n * BASE_FEE + 1n }, 'TX_FEE'],
        ['with a tip over its cap', { max_priority_fee_per_gas: 3n * BASE_FEE }, 'TX_FEE'],
        ['without calldata', { data: '0x' }, 'TX_REDEEM'],
        ['that is another call', { data: '0xa9059cbb' }, 'TX_REDEEM'],
      ])('is refused %s', async (_, change, rule) => {
        expect(await refusedAs(sign(change))).toBe(`TX_REFUSED ${rule}`)
      })

      it('is refused for a leaf of another signer, or a call it does not allow', async () => {
        const { stored } = registered
        const forged = signDelegation(crypto, PINS.addresses, leaf.leaf, keyOf('mallory'))
        const other = { ...leaf.execution, valueWei: leaf.execution.valueWei + 1n }
        const calls = {
          forged: encodeRedeem([{ delegations: [forged, stored.root], execution: leaf.execution }]),
          other: encodeRedeem([{ delegations: [leaf.leaf, stored.root], execution: other }]),
          unsigned: encodeRedeem([
            { delegations: [leaf.leaf, { ...stored.root, signature: '0x' }], execution: leaf.execution },
          ]),
          twice: encodeRedeem(
            [1, 2].map(() => ({ delegations: [leaf.leaf, stored.root], execution: leaf.execution })),
          ),
        }
        expect(await refusedAs(sign({ data: calls.forged }))).toBe('TX_REFUSED LEAF_SIGNATURE')
        expect(await refusedAs(sign({ data: calls.other }))).toBe('TX_REFUSED TX_CALLDATA')
        expect(await refusedAs(sign({ data: calls.unsigned }))).toBe('TX_REFUSED TX_CALLDATA')
        expect(await refusedAs(sign({ data: calls.twice }))).toBe('TX_REFUSED TX_REDEEM')
      })

      it('is refused past the leaf’s 120 seconds', async () => {
        world.time.nowMs += 119_000
        await sign()
        world.time.nowMs += 1_000
        expect(await refusedAs(sign())).toBe('TX_REFUSED LEAF_EXPIRED')
      })

      it('is refused for another’s leaf', async () => {
        const second = await world.create('agt_2')
        const work = signExecutorTx(world.deps, { executor: second, tx: tx() })
        expect(await refusedAs(work)).toBe('TX_REFUSED ROOT TX_EXECUTOR')
      })

      it('has one nonce per leaf: a repeat returns the same bytes, another nonce is refused', async () => {
        const first = await sign({ nonce: 4 })
        expect(await sign({ nonce: 4 })).toEqual(first)
        expect(await sign({ nonce: 4, max_fee_per_gas: 3n * BASE_FEE })).not.toEqual(first)
        expect(await refusedAs(sign({ nonce: 5 }))).toBe('TX_REFUSED TX_NONCE')
      })

      it('has a later nonce only if its leaf was co-signed again since', async () => {
        await sign({ nonce: 4 })
        await db.query('update leaves set signed_at_ms = signed_at_ms + 1 where root_hash = $1', [
          registered.stored.hash,
        ])
        expect(await refusedAs(sign({ nonce: 3 }))).toBe('TX_REFUSED TX_NONCE')
        expect(await sign({ nonce: 5 })).toMatchObject({ raw: expect.stringMatching(/^0x/) })
        expect(await refusedAs(sign({ nonce: 4 }))).toBe('TX_REFUSED TX_NONCE')
      })

      it('is refused once the session is revoked, while frozen, unread chain, or for the sanctioned', async () => {
        world.chain.isRead = false
        expect(await refusedAs(sign())).toBe('CHAIN_UNAVAILABLE CHAIN_UNAVAILABLE')
        world.chain.isRead = true
        world.sanctioned.add(WHO.wallet)
        expect(await refusedAs(sign())).toBe('SANCTIONED')
        world.sanctioned.clear()
        await world.ledger.setFrozen(true, callNonce())
        expect(await refusedAs(sign())).toBe('SIGNER_FROZEN')
        await world.ledger.setFrozen(false, callNonce())
        await world.ledger.revoke(registered.stored.hash)
        expect(await refusedAs(sign())).toBe('TX_REFUSED SESSION_REVOKED')
      })

      it('is refused when the revocation it waited for was written meanwhile', async () => {
        const { hash } = registered.stored
        let end = (): void => {}
        const ended = new Promise<void>((resolve) => {
          end = resolve
        })
        let revoking: Promise<void> | undefined
        await new Promise<void>((locked) => {
          revoking = db.transaction(async (sql) => {
            await sql.query('select hash from roots where hash = $1 for update', [hash])
            await sql.query('insert into revocations values ($1, $2)', [hash, world.time.nowMs])
            locked()
            await ended
          })
        })
        const signing = refusedAs(sign())
        // PGlite runs one transaction at a time.
        const waiting = () => db.query('select from pg_locks where not granted')
        if (db.engine === 'postgres')
          await expect.poll(async () => (await waiting()).length, { timeout: 30_000 }).toBeGreaterThan(0)
        end()
        await revoking
        expect(await signing).toBe('TX_REFUSED SESSION_REVOKED')
      })
    })
  },
  ledgerMigrations(),
)
