import { runProcess } from '@pit/platform/runProcess'
import { ConfigError, readConfig } from './config.ts'
import { KeyError } from './keys/sealKey.ts'
import { startSigner } from './startSigner.ts'

await runProcess({
  name: 'signer',
  async start(stage) {
    const config = readConfig(process.env)
    // Nothing this process starts or prints shall find them there.
    for (const secret of ['SIGNER_SECRET', 'SIGNER_OPERATOR_SECRET', 'SIGNER_PASSPHRASE'])
      delete process.env[secret]
    return startSigner(config, stage)
  },
  readyText: ({ cosigner, url }) => `co-signing as ${cosigner} at ${url}`,
  portSettings: 'SIGNER_PORT',
  expected: [ConfigError, KeyError],
})
