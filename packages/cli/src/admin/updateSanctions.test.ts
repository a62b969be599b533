import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OperatorRefused } from '@pit/server/operator'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { openList } from './openList.ts'
import { updateSanctions } from './updateSanctions.ts'

const A = `0x${'a1'.repeat(20)}`
const LIST =
  '<sdnList><publshInformation><Publish_Date>11/14/2026</Publish_Date><Record_Count>1</Record_Count>' +
  `</publshInformation><sdnEntry><id><idType>Digital Currency Address - ETH</idType><idNumber>${A}</idNumber>` +
  '</id></sdnEntry></sdnList>'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pit-list-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})

it('puts a list in all its places once it is taken', async () => {
  const [source, ...files] = ['sdn.xml', 'list.txt', 'signer.txt'].map((name) => join(folder, name))
  writeFileSync(source!, LIST)
  const seen: unknown[] = []
  const deps = { open: openList, nowMs: () => 0, record: async (list: unknown) => void seen.push(list) }
  await updateSanctions(deps, { source: source!, files })
  expect(seen).toMatchObject([{ addresses: [A], publishedOn: '2026-11-14' }])
  for (const file of files) expect(readFileSync(file, 'utf8')).toContain(`\n${A}\n`)
  expect(readdirSync(folder).sort()).toEqual(['list.txt', 'sdn.xml', 'signer.txt'])
})

it('leaves the list in force where the new one is broken or not taken', async () => {
  const [source, file] = [join(folder, 'sdn.xml'), join(folder, 'list.txt')]
  writeFileSync(file, 'old')
  writeFileSync(source, LIST.slice(0, -9))
  const deps = { open: openList, nowMs: () => 0, record: async () => {} }
  await expect(updateSanctions(deps, { source, files: [file] })).rejects.toThrow(OperatorRefused)
  writeFileSync(source, LIST)
  const record = () => Promise.reject(new OperatorRefused('it shrinks'))
  await expect(updateSanctions({ ...deps, record }, { source, files: [file] })).rejects.toThrow('it shrinks')
  await expect(updateSanctions(deps, { source, files: [] })).rejects.toThrow('SANCTIONS_FILE')
  expect(readFileSync(file, 'utf8')).toBe('old')
  expect(readdirSync(folder).sort()).toEqual(['list.txt', 'sdn.xml'])
})

it('fetches from an address, and from no open one', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/on') response.writeHead(302, { location: 'http://192.0.2.1/sdn.xml' }).end()
    else if (request.url === '/sdn.xml') response.end(LIST)
    else response.writeHead(503).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const bytes: Uint8Array[] = []
  for await (const chunk of await openList(`${at}/sdn.xml`)) bytes.push(chunk)
  expect(Buffer.concat(bytes).toString()).toBe(LIST)
  await expect(openList(`${at}/away`)).rejects.toThrow('returned HTTP status 503')
  await expect(openList('http://example.com/sdn.xml')).rejects.toThrow('not an https URL')
  await expect(openList(join(folder, 'none.xml'))).rejects.toThrow('does not exist')
})
