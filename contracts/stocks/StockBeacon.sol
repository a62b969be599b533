// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title The beacon every stock token reads its code from.
contract StockBeacon {
    event Upgraded(address indexed implementation);

    error OnlyOwner();
    error NoCode(address implementation);

    address public immutable owner;
    address public implementation;

    constructor(address implementation_) {
        owner = msg.sender;
        _upgrade(implementation_);
    }

    function upgradeTo(address implementation_) external {
        if (msg.sender != owner) revert OnlyOwner();
        _upgrade(implementation_);
    }

    function _upgrade(address implementation_) private {
        if (implementation_.code.length == 0) revert NoCode(implementation_);
        implementation = implementation_;
        emit Upgraded(implementation_);
    }
}
