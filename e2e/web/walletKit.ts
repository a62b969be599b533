import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FrameLocator, Page } from 'playwright-core'

/** A second origin that leads to the same server, as a deployment's proxy makes one for the wallet. */
export async function openSecondOrigin(target: () => string): Promise<{ url: string; close(): void }> {
  const proxy = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming
    const onward = request(new URL(url!, target()), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(proxy.address() as AddressInfo).port}`,
    close() {
      proxy.close()
      proxy.closeAllConnections()
    },
  }
}

export const frameOf = (page: Page): FrameLocator => page.frameLocator('iframe[title="Trading wallet"]')

export interface Backup {
  name: string
  mimeType: string
  buffer: Buffer
}
export const asFile = (text: string): Backup => ({
  name: 'wallet.json',
  mimeType: 'application/json',
  buffer: Buffer.from(text),
})

/** Clicks "Download backup" and returns the file's text. */
export async function download(page: Page): Promise<string> {
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    frameOf(page).getByRole('button', { name: 'Download backup' }).click(),
  ])
  const chunks: Buffer[] = []
  for await (const chunk of await saved.createReadStream()) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** Gives the file back, as the page asks before it shows the address. */
export async function verifyBackup(page: Page, text: string, passphrase: string): Promise<void> {
  const frame = frameOf(page)
  await frame.getByLabel('The saved file').setInputFiles(asFile(text))
  await frame.getByLabel('Its passphrase').fill(passphrase)
  await frame.getByRole('button', { name: 'Verify backup' }).click()
}

export async function unlock(page: Page, passphrase: string): Promise<void> {
  const frame = frameOf(page)
  await frame.getByLabel('Passphrase', { exact: true }).fill(passphrase)
  await frame.getByRole('button', { name: 'Unlock', exact: true }).click()
}
