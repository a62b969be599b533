import { runProcess } from '@pit/platform/process'
import { readConfig } from './config.ts'
import { KeyError } from './keys/sealKey.ts'
import { startSigner } from './startSigner.ts'

const SECRETS = [
  ...['SIGNER_SECRET', 'SIGNER_OPERATOR_SECRET', 'SIGNER_PASSPHRASE', 'SIGNER_DATABASE_URL'],
  ...['SIGNER_KMS_SECRET_KEY', 'SIGNER_KMS_SESSION_TOKEN'],
]

await runProcess({
  name: 'signer',
  async start(stage, ending) {
    const config = readConfig(process.env)
    // Child processes and logs must not see them.
    for (const secret of SECRETS) delete process.env[secret]
    return startSigner(config, stage, ending)
  },
  readyText: ({ cosigner, url }) => `co-signing as ${cosigner} at ${url}`,
  portSettings: 'SIGNER_PORT or SIGNER_LISTEN',
  expected: [KeyError],
})
