// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title A token whose admin can swap its code (EIP-1967 slots).
contract UpgradeableProxy {
    event Upgraded(address indexed implementation);
    event AdminChanged(address previousAdmin, address newAdmin);

    error OnlyAdmin();

    /// keccak256("eip1967.proxy.implementation") - 1
    bytes32 private constant IMPLEMENTATION = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
    /// keccak256("eip1967.proxy.admin") - 1
    bytes32 private constant ADMIN = 0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103;

    constructor(address implementation, bytes memory initialization) {
        _set(ADMIN, msg.sender);
        emit AdminChanged(address(0), msg.sender);
        _set(IMPLEMENTATION, implementation);
        emit Upgraded(implementation);
        (bool ok, bytes memory reason) = implementation.delegatecall(initialization);
        if (!ok) {
            assembly ("memory-safe") {
                revert(add(reason, 32), mload(reason))
            }
        }
    }

    function upgradeTo(address implementation) external {
        if (msg.sender != _get(ADMIN)) revert OnlyAdmin();
        _set(IMPLEMENTATION, implementation);
        emit Upgraded(implementation);
    }

    fallback() external {
        address implementation = _get(IMPLEMENTATION);
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), implementation, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }

    function _get(bytes32 slot) private view returns (address value) {
        assembly ("memory-safe") {
            value := sload(slot)
        }
    }

    function _set(bytes32 slot, address value) private {
        assembly ("memory-safe") {
            sstore(slot, value)
        }
    }
}
