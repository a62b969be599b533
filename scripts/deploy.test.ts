import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { buildBundles } from '../packages/platform/test/buildBundles.ts'
import { SETTINGS as SERVER } from '../packages/server/src/settings.ts'
import { SETTINGS as SIGNER } from '../packages/signer/src/config.ts'

const folder = mkdtempSync(join(tmpdir(), 'pit-deploy-'))
chmodSync(folder, 0o755)
beforeAll(() => {
  buildBundles('server', 'signer', 'pit', 'pitAdmin')
  execFileSync(process.execPath, ['scripts/buildWeb.mjs'], { stdio: 'ignore' })
}, 180_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const DIGEST = /@sha256:[0-9a-f]{64}$/

/** Instructions with their arguments, without comments and blank lines. */
const instructions = readFileSync('deploy/Containerfile', 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => /^([A-Z]+) (.*)$/.exec(line)!.slice(1) as [string, string])
const argumentsOf = (name: string) => instructions.filter(([one]) => one === name).map(([, rest]) => rest)

describe('the container file', () => {
  it('builds in one stage and runs in another, by digest, as an unprivileged user', () => {
    expect(argumentsOf('ARG')).toEqual([expect.stringMatching(DIGEST), 'VERSION=unknown', 'REVISION=unknown'])
    expect(argumentsOf('LABEL')[0]).toContain('org.opencontainers.image.revision=')
    expect(argumentsOf('HEALTHCHECK')[0]).toContain('/ready')
    expect(argumentsOf('FROM')).toEqual([`\${NODE_IMAGE} AS build`, `\${NODE_IMAGE}`])
    expect(argumentsOf('USER')).toEqual(['10001:10001'])
    const last = instructions.map(([name]) => name).lastIndexOf('FROM')
    const copied = instructions.slice(last).filter(([name]) => name === 'COPY')
    expect(copied).toEqual([['COPY', '--from=build --chown=0:0 /out /opt/pit']])
    const ignored = readFileSync('deploy/Containerfile.dockerignore', 'utf8').split('\n')
    expect(ignored).toEqual(expect.arrayContaining(['.git', '.env*', '.pit*', 'dist', '**/node_modules']))
  })

  it('has no step that CI does not run', () => {
    const [install, build, pack, folders, ...more] = argumentsOf('RUN')
    expect(more).toEqual([])
    expect(readFileSync('.ci/run', 'utf8')).toContain(`\n${install}\n`)
    // reproduce.test.ts builds a clean copy of the commit.
    expect(build).toBe('node scripts/build.mjs --clean --quiet')
    // The next test.
    expect(pack).toBe('node deploy/pack.mjs /out')
    const root = mkdtempSync(join(folder, 'root-'))
    if (process.getuid?.() !== 0) return
    execFileSync('sh', ['-c', folders!.replaceAll(/ (\/(?:var|run)\/)/g, ` ${root}$1`)])
    const owners = ['var/lib/pit', 'var/lib/pit-signer', 'run/pit-signer'].map((path) => {
      const { uid, mode } = statSync(join(root, path))
      return [path, uid, (mode & 0o777).toString(8)]
    })
    expect(owners).toEqual([
      ['var/lib/pit', 10_001, '700'],
      ['var/lib/pit-signer', 10_002, '700'],
      ['run/pit-signer', 10_002, '750'],
    ])
  })

  it('packs what runs, and it does: as another user, from files that cannot be written', async () => {
    const out = join(folder, 'out')
    const pack = argumentsOf('RUN').find((line) => line.includes('pack.mjs'))!
    execFileSync('sh', ['-c', pack.replace('/out', out)])
    expect(readdirSync(join(out, 'node_modules')).sort()).toEqual(['node-gyp-build', 'secp256k1'])
    const site = JSON.parse(readFileSync(join(out, 'dist/web/site.json'), 'utf8')) as { folder: string }
    expect(existsSync(join(out, 'dist/web', site.folder, 'index.html'))).toBe(true)
    const sbom = JSON.parse(readFileSync(join(out, 'sbom.cdx.json'), 'utf8')) as {
      bomFormat: string
      components: { name: string }[]
    }
    expect(sbom.bomFormat).toBe('CycloneDX')
    const names = sbom.components.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['pg', 'viem', 'secp256k1']))
    expect(names).not.toContain('vitest')
    const licences = readFileSync(join(out, 'THIRD_PARTY_LICENSES'), 'utf8')
    for (const name of ['pg', 'viem', 'react', 'commander']) expect(licences).toContain(`\n${name} `)
    execFileSync('chmod', ['-R', 'a-w,a+rX', out])
    const list = join(folder, 'sanctions.txt')
    cpSync('data/sanctions.txt', list)
    const server = await run(out, 'dist/server.js', {
      SANCTIONS_FILE: list,
      PROFILE: '/nowhere',
      DATABASE_URL: 'postgresql://127.0.0.1:9/x',
    })
    expect(server).toMatch(/the server did not start: .*(127\.0\.0\.1:9|PostgreSQL)/)
    const embedded = await run(out, 'dist/server.js', { SANCTIONS_FILE: list, PROFILE: '/nowhere' })
    expect(embedded).toContain(
      'the server did not start: the embedded store is not part of this installation',
    )
    const signer = await run(out, 'dist/signer.js', {})
    expect(signer).toContain('the signer did not start: SIGNER_SECRET is not set')
    expect(await run(out, 'dist/pitAdmin.js', {}, '--help')).toContain('Operate a Pit')
    expect([server, embedded, signer].join('')).not.toMatch(/ERR_MODULE_NOT_FOUND|\n\s+at /)
  })
})

/** Its output until it ends, as a user that owns nothing here. */
function run(out: string, file: string, env: Record<string, string>, ...args: string[]): Promise<string> {
  const ids = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const state = mkdtempSync(join(folder, 'state-'))
  chmodSync(state, 0o777)
  const child = spawn(process.execPath, [file, ...args], {
    cwd: out,
    ...ids,
    env: { PATH: process.env['PATH'], DATA_DIR: join(state, 'pit'), PORT: '0', METRICS_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  return new Promise((resolve) => child.once('exit', () => resolve(output)))
}

const megabytes = (limit: string): number =>
  Number.parseInt(limit, 10) * (limit.toLowerCase().endsWith('g') ? 1024 : 1)
const heapMb = (command: string): number => Number(/--max-old-space-size=(\d+)/.exec(command)?.[1])

interface Service {
  image: string
  user?: string
  command?: string[]
  environment?: Record<string, string>
  secrets?: string[]
  networks?: string[]
  read_only?: boolean
  cap_drop?: string[]
  healthcheck?: object
  mem_limit?: string
}
const compose = parse(readFileSync('deploy/compose/compose.yaml', 'utf8'), { merge: true }) as {
  services: Record<string, Service>
  secrets: Record<string, { file: string }>
  networks: Record<string, { internal?: boolean } | null>
  volumes: Record<string, null>
}

describe('the compose file', () => {
  const servers = ['api1', 'api2', 'api3', 'jobs1', 'jobs2']
  const ours = [...servers, 'signer']

  it('has every process, each with a read-only root and no capability but to listen', () => {
    const services = Object.keys(compose.services)
    expect(services).toEqual(
      expect.arrayContaining([...ours, 'caddy', 'postgres', 'signer-postgres', 'redis']),
    )
    for (const [name, service] of Object.entries(compose.services)) {
      expect({ name, root: service.read_only, caps: service.cap_drop }).toEqual({
        name,
        root: true,
        caps: ['ALL'],
      })
      if (!ours.includes(name)) expect(service.image).toMatch(DIGEST)
      else expect(service.healthcheck).toBeDefined()
    }
    expect(compose.services['signer']!.user).not.toBe(compose.services['api1']!.user)
    expect(servers.map((name) => compose.services[name]!.environment!['ROLE'])).toEqual([
      ...['api', 'api', 'api', 'jobs', 'jobs'],
    ])
  })

  it.each(ours)('sets only settings that %s knows, and no secret as text', (name) => {
    const { environment = {}, secrets = [] } = compose.services[name]!
    const settings = name === 'signer' ? SIGNER : SERVER
    expect(Object.keys(environment).filter((setting) => !(setting in settings))).toEqual([])
    const mounted = Object.values(environment).filter((value) => value.startsWith('/run/secrets/'))
    expect(mounted.map((path) => path.slice('/run/secrets/'.length)).sort()).toEqual([...secrets].sort())
    expect(Object.keys(environment).filter((setting) => `${setting}_FILE` in settings)).toEqual(
      name === 'signer' ? [] : ['SEQUENCER_URL'],
    )
  })

  it('bounds the memory of every service, and every heap below it', () => {
    for (const [name, { mem_limit, command = [] }] of Object.entries(compose.services)) {
      expect({ name, mem_limit }).toEqual({ name, mem_limit: expect.stringMatching(/^\d+[mg]$/) })
      if (ours.includes(name)) expect(heapMb(command.join(' '))).toBeLessThan(0.6 * megabytes(mem_limit!))
    }
  })

  it('takes the country from GEO_DB, and no country header that a client sends', () => {
    const { GEO_DB, GEO_HEADER, GEO_REGION_HEADER } = compose.services['api1']!.environment!
    expect([GEO_DB, GEO_HEADER, GEO_REGION_HEADER]).toEqual(['/etc/pit/geo.mmdb', '', ''])
    const caddyfile = readFileSync('deploy/compose/Caddyfile', 'utf8')
    for (const header of ['X-Pit-Country', 'X-Pit-Region', 'CF-IPCountry', 'CF-Region-Code'])
      expect(caddyfile).toMatch(new RegExp(`^\\s+header_up -${header}$`, 'm'))
  })

  it('names no secret, network or volume that is not there, and keeps the stores inside', () => {
    for (const service of Object.values(compose.services)) {
      for (const secret of service.secrets ?? []) expect(Object.keys(compose.secrets)).toContain(secret)
      for (const network of service.networks ?? []) expect(Object.keys(compose.networks)).toContain(network)
    }
    for (const network of ['edge', 'store', 'signer-store'])
      expect(compose.networks[network]).toMatchObject({ internal: true })
    expect(compose.services['signer-postgres']!.networks).toEqual(['signer-store'])
    for (const name of servers) expect(compose.services[name]!.networks).not.toContain('signer-store')
  })
})

const units = readdirSync('deploy/systemd').filter((name) => name.endsWith('.service'))

/** `[section] name` to values, in order. */
function unitOf(name: string): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (const line of readFileSync(`deploy/systemd/${name}`, 'utf8').split('\n')) {
    const [, key, value] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? []
    if (key !== undefined) values.set(key, [...(values.get(key) ?? []), value!])
  }
  return values
}

describe.each(units)('%s', (name) => {
  const unit = unitOf(name)
  const settings: object = name.includes('signer') ? SIGNER : SERVER

  it('is closed to all but what it needs', () => {
    for (const [key, value] of [
      ['ProtectSystem', 'strict'],
      ['NoNewPrivileges', 'yes'],
      ['MemoryDenyWriteExecute', 'no'],
      ['CapabilityBoundingSet', ''],
      ['UMask', '0077'],
    ] as const)
      expect({ key, value: unit.get(key) }).toEqual({ key, value: [value] })
  })

  it('has a memory limit above the heap’s', () => {
    const heap = heapMb(unit.get('ExecStart')![0]!)
    const [high, max] = [megabytes(unit.get('MemoryHigh')![0]!), megabytes(unit.get('MemoryMax')![0]!)]
    expect(heap).toBeGreaterThan(0)
    expect(heap).toBeLessThan(high)
    expect(high).toBeLessThan(max)
  })

  it('names only settings its program knows; secrets are credentials by their own name', () => {
    const set = unit.get('Environment')!.flatMap((line) => line.split(' ').map((pair) => pair.split('=')[0]!))
    expect(set.filter((one) => one !== 'NODE_ENV' && !(one in settings))).toEqual([])
    const credentials = unit.get('LoadCredential')!.map((line) => line.split(':')[0]!)
    expect(credentials.filter((one) => !(`${one}_FILE` in settings))).toEqual([])
    const file = `deploy/systemd/${name.includes('signer') ? 'signer' : 'server'}.env`
    const shared = readFileSync(file, 'utf8').split('\n')
    const sharedNames = shared.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split('=')[0]!)
    expect(sharedNames.filter((one) => !(one in settings))).toEqual([])
    expect(sharedNames.filter((one) => credentials.includes(one))).toEqual([])
  })

  it('has a user that the users’ file makes', () => {
    const users = readFileSync('deploy/systemd/pit.sysusers.conf', 'utf8')
    const user = unit.get('User')![0]!
    for (const one of user.includes('%i') ? ['1', '2'] : [''])
      expect(users).toMatch(new RegExp(`^u ${user.replace('%i', one)} `, 'm'))
  })

  it.runIf(existsSync('/usr/bin/systemd-analyze'))('is a unit to systemd', () => {
    const copy = join(folder, name.replace('@', '@1'))
    const text = readFileSync(`deploy/systemd/${name}`, 'utf8')
    // Only the program differs: the real one is not installed here.
    writeFileSync(copy, text.replace(/^ExecStart=.+$/m, `ExecStart=${process.execPath} --version`))
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', copy], { encoding: 'utf8' })
    expect(stderr).not.toContain(name.replace('@', '@1'))
    expect(status).toBe(0)
  })
})
