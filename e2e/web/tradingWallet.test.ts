import { rmSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { encodeAbiParameters, encodeFunctionData, keccak256, parseAbi, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Keystore, openKey, sealKey } from '../../packages/cli/src/keys/keystore.ts'
import { newServerDirectory } from '../../packages/platform/test/serverStore.ts'
import { openSessionWorld, type SessionWorld } from '../session/world.ts'
import { lookAt, openBrowser, openTab, type Tab } from './browser.ts'
import { asFile, download, frameOf, openSecondOrigin, unlock, verifyBackup } from './walletKit.ts'

// A trading wallet from its creation to the return of everything, on the real processes. The key is on a
// separate origin; the second part opens the page on that origin, where both share one.

const WAIT = { timeout: 60_000 }
const PASSPHRASE = 'correct horse battery staple'
const RETURN = '0x00000000000000000000000000000000000be11e'
const EXECUTOR = privateKeyToAccount(keccak256(stringToHex('trading wallet executor'))).address

let world: SessionWorld
let dataDir: string
let second: Awaited<ReturnType<typeof openSecondOrigin>>
let browser: Browser
let owner: Tab
let address: `0x${string}`

beforeAll(async () => {
  dataDir = await newServerDirectory()
  second = await openSecondOrigin(() => world.server.url)
  world = await openSessionWorld({
    server: { DATA_DIR: dataDir, AUTH_DOMAIN: 'localhost', WALLET_ORIGIN: second.url },
  })
  browser = await openBrowser()
  // Another origin of the same site, as wallet.pit.example is: Debian's Chromium blocks third-party storage.
  owner = await openTab(browser, world.server.url.replace('127.0.0.1', 'localhost'))
})
afterAll(async () => {
  await browser?.close()
  second?.close()
  await world?.close()
  if (dataDir) rmSync(dataDir, { recursive: true, force: true })
})

const main = (page: Page) => page.locator('main')
/** The badge of each session in this state. */
const stateOf = (page: Page, state: string) => main(page).getByText(state, { exact: true })
/** Signs what the frame shows, if the page asks for the given thing. */
async function confirm(page: Page, title: RegExp): Promise<void> {
  const frame = frameOf(page)
  await frame.getByRole('heading', { name: title }).waitFor(WAIT)
  await frame.getByRole('button', { name: 'Sign', exact: true }).click()
}

describe('with the key on another origin', () => {
  it('a wallet is created, and its address is shown only after the backup was given back', async () => {
    const { page, faults } = owner
    await page.goto('/wallet')
    await page.getByRole('button', { name: 'Create or restore a wallet' }).click()
    const frame = frameOf(page)
    await frame.getByLabel('Return address').fill(RETURN)
    await frame.getByLabel('Passphrase', { exact: true }).fill('short')
    await frame.getByLabel('Passphrase again').fill('short')
    await frame.getByText('Use at least 12 characters.').waitFor()
    expect(await frame.getByRole('button', { name: 'Create wallet' }).isDisabled()).toBe(true)
    expect(await lookAt(page, 'walletCreate')).toEqual([])
    await frame.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE)
    await frame.getByLabel('Passphrase again').fill(PASSPHRASE)
    await frame.getByRole('button', { name: 'Create wallet' }).click()
    await frame.getByText('Back it up before you fund it.').waitFor(WAIT)
    expect(await lookAt(page, 'walletBackup')).toEqual([])
    const text = await download(page)
    const file = JSON.parse(text) as Keystore
    address = `0x${file.address!}`
    expect(await page.content()).not.toContain(address)

    await verifyBackup(page, text, 'not the passphrase')
    await frame.getByText('Wrong passphrase, or the file was changed.').waitFor(WAIT)
    const edited = text.replace(RETURN, '0x00000000000000000000000000000000000bad01')
    await verifyBackup(page, edited, PASSPHRASE)
    await frame.getByText(/The wallet’s record was changed/).waitFor(WAIT)
    await verifyBackup(page, text, PASSPHRASE)
    await main(page).getByRole('button', { name: 'Sign in with it' }).waitFor(WAIT)
    expect(await main(page).innerText()).toContain(address)
    // pit reads the same file.
    expect(privateKeyToAccount((await openKey(file, PASSPHRASE))!).address.toLowerCase()).toBe(address)
    expect(faults).toEqual([])
  })

  it('the site’s own storage and script never have the key’s record', async () => {
    const { page } = owner
    expect(await page.evaluate("localStorage.getItem('pit.tradingWallet')")).toBeNull()
    const frame = page.frames().find((one) => one.url().startsWith(second.url))!
    expect(await frame.evaluate("localStorage.getItem('pit.tradingWallet')")).toContain(RETURN)
    // Its policy: no answer of the API, not even on the same origin.
    const reach = (path: string) => frame.evaluate(`fetch('${path}').then(() => 'open', () => 'closed')`)
    expect([await reach('/api/v1/config'), await reach('/pins.json')]).toEqual(['closed', 'open'])
  })

  it('it is funded and signs in after its own confirmation', async () => {
    const { page } = owner
    await world.fund(address, { wei: 2n * 10n ** 18n, usdg: 500_000_000n })
    await page.getByRole('button', { name: 'Sign in with it' }).click()
    await confirm(page, /^Sign in to localhost/)
    await page.getByRole('button', { name: /^0x/ }).first().waitFor(WAIT)
    await page.getByText('It holds more than $1,000.').waitFor(WAIT)
    expect(await lookAt(page, 'wallet')).toEqual([])
  })

  it('a request that it does not know, or that pays a stranger, is refused', async () => {
    expect(await answer({ type: 'reveal' })).toContain('The wallet does not know this request.')
    const payload = {
      ...{ to: EXECUTOR, value: '1', data: '0x', gas: '21000', nonce: '0' },
      ...{ maxFeePerGas: '1', maxPriorityFeePerGas: '0' },
    }
    expect(await answer({ type: 'sign', kind: 'transaction', payload })).toContain(
      'pays only its return address',
    )
    const extra = { type: 'sign', kind: 'message', payload: 'hello', silent: true }
    expect(await answer(extra)).toContain('does not know')
  })

  it('a curve’s trade shows its effects, and the same call to a stranger is unknown', async () => {
    const { page } = owner
    const { pons } = await world.devnet.rpc<{
      pons: { tokens: { symbol: string; address: string; curve: `0x${string}` }[] }
    }>('devnet_info')
    const { curve, address: token } = pons.tokens.find(({ symbol }) => symbol === 'PETH')!
    const value = 5n * 10n ** 18n
    const data = encodeFunctionData({
      abi: parseAbi(['function buy(uint256, uint256, address)']),
      args: [value, 1n, address],
    })
    const fees = { gas: '500000', nonce: '0', maxFeePerGas: '1', maxPriorityFeePerGas: '0' }
    const buyFrom = (to: string) =>
      answer({
        type: 'sign',
        kind: 'transaction',
        payload: { to, data, value: value.toString(), ...fees },
      })
    const frame = frameOf(page)
    const listed = buyFrom(curve)
    await frame.getByText(`up to 5 ETH to the launchpad curve ${curve.toLowerCase()}`).waitFor(WAIT)
    await frame.getByText(`at least 1 atoms of the unpinned token ${token.toLowerCase()}`).waitFor(WAIT)
    expect(await lookAt(page, 'walletEffects')).toEqual([])
    await frame.getByRole('button', { name: 'Reject' }).click()
    expect(await listed).toContain('Declined')
    expect(await buyFrom(EXECUTOR)).toContain('Unknown calls are off')

    const setUnknown = async () => {
      const saved = answer({ type: 'settings' })
      await frame.getByLabel('Offer unknown calls for consent').click(WAIT)
      if (await frame.getByText(/can take everything/).isVisible())
        expect(await lookAt(page, 'walletSettings')).toEqual([])
      await frame.getByRole('button', { name: 'Save' }).click()
      await saved
    }
    await setUnknown()
    const unknown = buyFrom(EXECUTOR)
    await frame.getByRole('heading', { name: 'Unknown call' }).waitFor(WAIT)
    await frame.getByText(`5 ETH to ${EXECUTOR.toLowerCase()}, selector 0x59a87bc1, 100 bytes`).waitFor()
    expect(await lookAt(page, 'walletUnknown')).toEqual([])
    const sign = frame.getByRole('button', { name: 'Sign', exact: true })
    const end = frame.getByLabel(/^Last 4 characters of/)
    expect(await sign.isDisabled()).toBe(true)
    await end.fill('0000')
    expect(await sign.isDisabled()).toBe(true)
    await end.fill(EXECUTOR.slice(-4))
    await sign.click()
    expect(await unknown).toMatch(/"result":"0x02/)
    await setUnknown()
    expect(await buyFrom(EXECUTOR)).toContain('Unknown calls are off')
  })

  it('a trade is signed after its transactions were read in the frame', async () => {
    const { page } = owner
    await page.goto('/trade?in=USDG&out=ETH&usd=25')
    await page.getByRole('button', { name: 'Review trade' }).click()
    await page.getByText(/Approval of [\d,.]+ USDG required first/).waitFor(WAIT)
    await page.getByRole('button', { name: 'Sign and send' }).click()
    await unlock(page, PASSPHRASE)
    await confirmAll(page, page.getByText(/Mined in block \d+/))
  })

  it('a reload in the middle of a grant loses nothing: it is unlocked and granted again', async () => {
    const { page } = owner
    const begin = async () => {
      await page.goto(`/sessions?executor=${EXECUTOR}`)
      await page.getByLabel(/Allow EIP-7702 delegation/).check()
      await page.getByRole('button', { name: 'Review limits' }).click()
      await page.getByText('Maximum loss').waitFor(WAIT)
      await page.getByRole('button', { name: 'Sign session' }).click()
    }
    await begin()
    await unlock(page, PASSPHRASE)
    const frame = frameOf(page)
    await frame.getByRole('button', { name: 'Sign', exact: true }).waitFor(WAIT)
    expect(await lookAt(page, 'walletConfirm')).toEqual([])
    await frame.getByRole('button', { name: 'Sign', exact: true }).click()
    await page.waitForTimeout(500)
    await page.reload()
    await begin()
    await unlock(page, PASSPHRASE)
    await confirmAll(page, stateOf(page, 'Active'))
  })

  it('a live agent gets its session', async () => {
    const { page } = owner
    await page.goto('/agents')
    await page.getByRole('tab', { name: 'New agent' }).click()
    await page.getByLabel('Money').selectOption('live')
    // Read before the page moves on and its responses are dropped.
    let executor = ''
    await page.route(/\/hosted\/[^/]+\/executor$/, async (route) => {
      const response = await route.fetch()
      executor = ((await response.json()) as { executor: string }).executor
      await route.fulfill({ response })
    })
    await page.getByRole('button', { name: 'Create live agent (paused)' }).click()
    await expect.poll(() => executor, WAIT).toMatch(/^0x/)
    await world.devnet.rpc('hardhat_setBalance', [executor, '0xde0b6b3a7640000'])
    await page.getByRole('heading', { name: 'Limits you set' }).waitFor(WAIT)
    await page.getByLabel(/Allow EIP-7702 delegation/).check()
    await page.getByRole('button', { name: 'Review limits' }).click()
    await page.getByText('Maximum loss').waitFor(WAIT)
    await page.getByRole('button', { name: 'Sign session' }).click()
    await unlock(page, PASSPHRASE)
    await confirmAll(page, page.getByRole('button', { name: 'Switch off' }))
  })

  it('everything goes back: sessions and approvals first, then tokens, ETH last; the rest is listed', async () => {
    const { page } = owner
    const { gallery } = await world.devnet.rpc<{ gallery: Record<string, { address: string }> }>(
      'devnet_info',
    )
    const token = (name: RegExp) => Object.entries(gallery).find(([key]) => name.test(key))![1].address
    const [blocked, plain] = [token(/^transfer_blocked$/), token(/^good$/)]
    for (const [at, atoms] of [
      [blocked, 10n ** 18n],
      [plain, 10n ** 18n],
      [world.core('cbBTC'), 1n],
    ] as const)
      await give(at, atoms)
    await page.goto('/wallet')
    await page.getByLabel('Other tokens').fill(`${blocked} ${plain}`)
    await page.getByRole('button', { name: 'Send everything back' }).click()
    await unlock(page, PASSPHRASE)
    await frameOf(page).getByText(RETURN).waitFor(WAIT)
    const list = main(page).getByRole('list', { name: 'To be sent back' })
    expect(await list.innerText()).toMatch(/Send [\d.,]+ USDG/)
    expect(await list.innerText()).toMatch(/Send [\d.,]+ ETH less gas/)
    expect(await lookAt(page, 'walletReturn')).toEqual([])
    await frameOf(page).getByRole('button', { name: 'Send everything back' }).click()
    // Interrupted once: the second run finds what is left on the chain.
    await main(page).getByText('Done').first().waitFor(WAIT)
    await page.reload()
    await page.getByText('It was interrupted.').waitFor(WAIT)
    await page.getByLabel('Other tokens').fill(`${blocked} ${plain}`)
    await page.getByRole('button', { name: 'Continue sending back' }).click()
    await unlock(page, PASSPHRASE)
    await frameOf(page).getByRole('button', { name: 'Send everything back' }).click()
    await page.getByText('Sent back, except 2 listed above.').waitFor(WAIT)
    expect(await lookAt(page, 'walletSentBack')).toEqual([])
    const text = await main(page).innerText()
    expect(text).toMatch(/cbBTC is worth less than its gas/)
    expect(text.toLowerCase()).toContain(`send ${blocked.toLowerCase()}`)
    const wei = BigInt(await world.devnet.rpc<string>('eth_getBalance', [address, 'latest']))
    expect(wei).toBeLessThan(10n ** 15n)
    expect(BigInt(await world.devnet.rpc<string>('eth_getBalance', [RETURN, 'latest']))).toBeGreaterThan(
      10n ** 18n,
    )
    expect(await balanceOf(world.core('USDG'), RETURN)).toBeGreaterThan(400_000_000n)
    expect([await balanceOf(plain, RETURN), await balanceOf(blocked, RETURN)]).toEqual([10n ** 18n, 0n])
    await page.goto('/sessions')
    await stateOf(page, 'Revoked').first().waitFor(WAIT)
    expect(await stateOf(page, 'Active').count()).toBe(0)
  })

  let lastId = 4_000
  /** The wallet's answer to a request that no page of the dashboard sends. */
  const answer = (request: unknown): Promise<string> => {
    const id = ++lastId
    return owner.page.evaluate(
      `new Promise((resolve) => {
        const frame = document.querySelector('iframe[title="Trading wallet"]')
        addEventListener('message', ({ data }) => data.id === ${id} && resolve(JSON.stringify(data)))
        frame.contentWindow.postMessage({ pit: 'wallet', id: ${id}, request: ${JSON.stringify(request)} }, '${second.url}')
      })`,
    )
  }

  /** Confirms whatever the frame shows until the page shows the given thing. */
  async function confirmAll(page: Page, until: ReturnType<Page['locator']>): Promise<void> {
    const sign = frameOf(page).getByRole('button', { name: 'Sign', exact: true })
    const deadline = Date.now() + WAIT.timeout
    while (!(await until.first().isVisible())) {
      if (Date.now() > deadline) throw new Error(`not shown: ${await page.locator('body').innerText()}`)
      if (await sign.isVisible()) await sign.click({ timeout: 2_000 }).catch(() => {})
      await page.waitForTimeout(100)
    }
  }
})

describe('on one origin', () => {
  let tab: Tab
  beforeAll(async () => {
    tab = await openTab(browser, second.url)
  })

  it('a passkey unlocks it, and the backup’s passphrase does without one', async () => {
    const { page, faults } = tab
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal', hasPrf: true },
        ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
        automaticPresenceSimulation: true,
      },
    })
    await page.goto('/wallet')
    await page.getByRole('button', { name: 'Create or restore a wallet' }).click()
    const frame = frameOf(page)
    await frame.getByLabel('Return address').fill(RETURN)
    await frame.getByLabel('Unlock with').selectOption('passkey')
    await frame.getByRole('button', { name: 'Create wallet' }).click()
    await frame.getByLabel('Passphrase of the backup', { exact: true }).fill(PASSPHRASE)
    await frame.getByLabel('Passphrase of the backup again').fill(PASSPHRASE)
    const text = await download(page)
    await verifyBackup(page, text, PASSPHRASE)
    await main(page).getByRole('button', { name: 'Lock', exact: true }).click(WAIT)
    await main(page).getByRole('button', { name: 'Unlock', exact: true }).click()
    await frame.getByRole('button', { name: 'Unlock with passkey' }).click()
    await main(page)
      .getByText(/Unlocked in this tab/)
      .waitFor(WAIT)

    // The passkey is deleted: a file opens the wallet. This one is pit's, of the same key and cheaper to open.
    const key = await openKey(JSON.parse(text) as Keystore, PASSPHRASE)
    const ofPit = JSON.stringify(await sealKey(key!, PASSPHRASE, { n: 1_024, r: 8, p: 1, dklen: 32 }))
    await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
    await main(page).getByRole('button', { name: 'Lock', exact: true }).click()
    await main(page).getByRole('button', { name: 'Unlock', exact: true }).click()
    await frame.getByRole('button', { name: 'Open from a backup' }).click()
    await frame.getByLabel('Keystore file').setInputFiles(asFile(ofPit))
    await frame.getByLabel('Return address').fill(RETURN)
    await frame.getByLabel('Passphrase of the file').fill(PASSPHRASE)
    await frame.getByRole('button', { name: 'Open the file' }).click()
    await main(page)
      .getByText(/Unlocked in this tab/)
      .waitFor(WAIT)
    expect(faults).toEqual([])
  })

  it('a wrong passphrase is refused in words, and nothing else opens it', async () => {
    const { page } = tab
    await page.reload()
    await main(page).getByRole('button', { name: 'Unlock', exact: true }).click()
    await unlock(page, 'wrong horse battery staple')
    await frameOf(page).getByText('Wrong passphrase, or the file was changed.').waitFor(WAIT)
    await frameOf(page)
      .getByText(/cannot be reset or recovered/)
      .waitFor()
    expect(await lookAt(page, 'walletWrongPassphrase')).toEqual([])
    await frameOf(page).getByRole('button', { name: 'Cancel' }).click()
    await main(page).getByText('Locked', { exact: true }).waitFor()
  })

  it('two tabs each unlock for themselves', async () => {
    const { page } = tab
    await main(page).getByRole('button', { name: 'Unlock', exact: true }).click()
    await unlock(page, PASSPHRASE)
    await main(page)
      .getByText(/Unlocked in this tab/)
      .waitFor(WAIT)
    const other = await page.context().newPage()
    await other.goto('/wallet')
    await main(other).getByText('Locked', { exact: true }).waitFor(WAIT)
    await main(page)
      .getByText(/Unlocked in this tab/)
      .waitFor()
    await other.close()
  })

  it('it locks by itself after idle minutes', async () => {
    const { page } = tab
    await page.clock.install()
    await page.reload()
    await main(page).getByRole('button', { name: 'Unlock', exact: true }).click()
    await unlock(page, PASSPHRASE)
    await main(page)
      .getByText(/Unlocked in this tab/)
      .waitFor(WAIT)
    await page.clock.fastForward('16:00')
    await main(page).getByText('Locked', { exact: true }).waitFor(WAIT)
  })

  it('an edited record is noticed at the unlock', async () => {
    const page = await tab.page.context().newPage()
    await page.goto('/wallet')
    const edit = (from: string, to: string) =>
      page.evaluate(
        `localStorage.setItem('pit.tradingWallet', localStorage.getItem('pit.tradingWallet').replace('${from}', '${to}'))`,
      )
    const thief = '0x00000000000000000000000000000000000bad01'
    await edit(RETURN, thief)
    await page.reload()
    await main(page).getByRole('button', { name: 'Unlock', exact: true }).click()
    await unlock(page, PASSPHRASE)
    await frameOf(page)
      .getByText(/its return address or settings do not belong to its key/)
      .waitFor(WAIT)
    await edit(thief, RETURN)
    await unlock(page, PASSPHRASE)
    await main(page)
      .getByText(/Unlocked in this tab/)
      .waitFor(WAIT)
  })
})

/** Sets a balance where the devnet's tokens keep it: the mapping in slot 3. */
async function give(token: string, atoms: bigint): Promise<void> {
  const slot = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [address, 3n]))
  const word = `0x${atoms.toString(16).padStart(64, '0')}`
  await world.devnet.rpc('hardhat_setStorageAt', [token, slot, word])
  expect(await balanceOf(token, address)).toBe(atoms)
}

async function balanceOf(token: string, wallet: string): Promise<bigint> {
  const data = `0x70a08231${wallet.slice(2).toLowerCase().padStart(64, '0')}`
  return BigInt(await world.devnet.rpc<string>('eth_call', [{ to: token, data }, 'latest']))
}
