import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientAddressOf, createNetworks, networksOf, plainAddress } from './clientAddress.ts'

const networkOf = (address: string) => networksOf(address)[0].id

describe('createNetworks', () => {
  const networks = createNetworks(['10.0.0.0/8', '192.168.1.7', '::1', 'fd00::/8', '::ffff:172.16.0.0/12'])
  it.each([
    ['10.255.1.2', true],
    ['11.0.0.1', false],
    ['192.168.1.7', true],
    ['192.168.1.8', false],
    ['::1', true],
    ['fdab::1', true],
    ['fe80::1', false],
    ['172.20.0.1', true],
  ])('%s: %s', (address, inside) => {
    expect(networks.has(address)).toBe(inside)
  })
  it.each(['10.0.0.0/33', 'example.com', '10.0.0.0/x', '::/129', '1.2.3.4/8/9', ''])('refuses %s', (cidr) => {
    expect(() => createNetworks([cidr])).toThrow('TRUSTED_PROXIES')
  })
})

describe('clientAddressOf', () => {
  const trusted = createNetworks(['127.0.0.0/8', '10.0.0.0/8', '::1'])
  it.each([
    ['203.0.113.9', '1.2.3.4', '203.0.113.9'],
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['127.0.0.1', '1.2.3.4', '1.2.3.4'],
    ['127.0.0.1', '9.9.9.9, 1.2.3.4', '1.2.3.4'],
    ['127.0.0.1', '9.9.9.9, 1.2.3.4, 10.1.1.1', '1.2.3.4'],
    ['127.0.0.1', '10.2.2.2, 10.1.1.1', '10.2.2.2'],
    ['127.0.0.1', '1.2.3.4:5678', '1.2.3.4'],
    ['127.0.0.1', '[2001:db8::1]:443', '2001:db8::1'],
    ['127.0.0.1', '::ffff:1.2.3.4', '1.2.3.4'],
    ['127.0.0.1', '1.2.3.4, unknown', '127.0.0.1'],
    ['127.0.0.1', '1.2.3.4, evil, 10.0.0.1', '10.0.0.1'],
    ['127.0.0.1', '', '127.0.0.1'],
  ])('from %s with %s it is %s', (socket, forwarded, client) => {
    expect(clientAddressOf(socket, forwarded, trusted)).toBe(client)
  })
})

describe('the network of a client', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0DB8:0000:0000:ffff::', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown', 'unknown'],
    ['1.2.3.4', '1.2.3.4'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::6', '2001:db8:1:2::/64'],
    ['fe80::', 'fe80:0:0:0::/64'],
  ])('of %s is %s', (address, scope) => expect(networkOf(address)).toBe(scope))

  it('includes the /48 for IPv6, which has the limit of eight /64', () => {
    expect(networksOf('192.0.2.7')).toEqual([{ id: '192.0.2.7', cost: 1 }])
    expect(networksOf('2001:0db8:0001:0002::6')).toEqual([
      { id: '2001:db8:1:2::/64', cost: 1 },
      { id: '2001:db8:1::/48', cost: 1 / 8 },
    ])
    expect(networksOf('::1')[1]?.id).toBe('0:0:0::/48')
  })

  it('is the same for every address of a /64, and different for two /64', () => {
    const group = () => fc.integer({ min: 0, max: 0xffff })
    const groups = (length: number) => fc.array(group(), { minLength: length, maxLength: length })
    const text = (parts: number[]) => parts.map((part) => part.toString(16)).join(':')
    fc.assert(
      fc.property(groups(4), groups(4), groups(4), groups(4), (net, otherNet, host, otherHost) => {
        const scope = networkOf(text([...net, ...host]))
        expect(networkOf(text([...net, ...otherHost]))).toBe(scope)
        expect(networkOf(text([...otherNet, ...host])) === scope).toBe(text(net) === text(otherNet))
      }),
    )
  })
})

it.each([
  ['::ffff:127.0.0.1', '127.0.0.1'],
  ['::FFFF:7f00:0001', '127.0.0.1'],
  ['FE80::1%eth0', 'fe80::1'],
])('plainAddress %s is %s', (address, plain) => {
  expect(plainAddress(address)).toBe(plain)
})
