const { expect } = require('chai')
const { ethers, upgrades } = require('hardhat')
const { getStorageAt } = require('@nomicfoundation/hardhat-network-helpers')

const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'

describe('upgrades', () => {
  describe('transparent proxy', () => {
    async function deploy() {
      const [Box, BoxV2] = await Promise.all([ethers.getContractFactory('Box'), ethers.getContractFactory('BoxV2')])
      return { box: await upgrades.deployProxy(Box, [42]), BoxV2 }
    }

    it('is initialized by its deployment', async () => {
      const { box } = await deploy()

      expect(await box.value()).to.equal(42n)
      await expect(box.initialize(1)).to.be.revertedWithCustomError(box, 'InvalidInitialization')
    })

    it('keeps its address and storage over an upgrade', async () => {
      const { box, BoxV2 } = await deploy()
      await (await box.store(7)).wait()

      const upgraded = await upgrades.upgradeProxy(box, BoxV2)
      await (await upgraded.increment()).wait()

      expect(await upgraded.getAddress()).to.equal(await box.getAddress())
      expect(await upgraded.version()).to.equal('2')
      expect(await upgraded.value()).to.equal(8n)
    })

    it('shows its implementation in the slot of ERC-1967', async () => {
      const { box } = await deploy()

      const slot = await getStorageAt(await box.getAddress(), IMPLEMENTATION_SLOT)
      const implementation = await upgrades.erc1967.getImplementationAddress(await box.getAddress())

      expect(ethers.getAddress(ethers.dataSlice(slot, 12))).to.equal(implementation)
    })

    it('refuses an implementation whose storage does not fit', async () => {
      const { box } = await deploy()

      await expect(upgrades.upgradeProxy(box, await ethers.getContractFactory('BoxBroken'))).to.be.rejectedWith(
        /New storage layout is incompatible/,
      )
    })

    it('reuses a deployed implementation', async () => {
      const { box } = await deploy()
      const { box: second } = await deploy()

      const implementationOf = async (proxy) => upgrades.erc1967.getImplementationAddress(await proxy.getAddress())

      expect(await implementationOf(second)).to.equal(await implementationOf(box))
    })
  })

  describe('UUPS proxy', () => {
    async function deploy() {
      const [owner, other] = await ethers.getSigners()
      const ledger = await upgrades.deployProxy(await ethers.getContractFactory('Ledger'), [owner.address], {
        kind: 'uups',
      })
      return { ledger, owner, other }
    }

    it('is upgraded by its owner', async () => {
      const { ledger, owner } = await deploy()
      await (await ledger.enter(5)).wait()

      const upgraded = await upgrades.upgradeProxy(ledger, await ethers.getContractFactory('LedgerV2'))
      await (await upgraded.enterFor(owner, 10)).wait()

      expect(await upgraded.entries(owner)).to.equal(15n)
      expect(await upgraded.total()).to.equal(10n)
    })

    it('refuses an upgrade by other accounts', async () => {
      const { ledger, other } = await deploy()

      await expect(upgrades.upgradeProxy(ledger, await ethers.getContractFactory('LedgerV2', other)))
        .to.be.revertedWithCustomError(ledger, 'OwnableUnauthorizedAccount')
        .withArgs(other.address)
    })
  })

  it('a beacon upgrades all its proxies', async () => {
    const [Box, BoxV2] = await Promise.all([ethers.getContractFactory('Box'), ethers.getContractFactory('BoxV2')])
    const beacon = await upgrades.deployBeacon(Box)
    const proxies = [
      await upgrades.deployBeaconProxy(beacon, Box, [1]),
      await upgrades.deployBeaconProxy(beacon, Box, [2]),
    ]

    await upgrades.upgradeBeacon(beacon, BoxV2)

    for (const proxy of proxies) expect(await BoxV2.attach(await proxy.getAddress()).version()).to.equal('2')
  })
})
