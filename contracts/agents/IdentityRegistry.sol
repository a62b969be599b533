// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title Agents as ERC-721 tokens, in the shape of ERC-8004's identity registry.
/// @notice An agent is its token: `ownerOf` owns it, `tokenURI` points to its registration file, and the wallet it acts
/// with is the owner's until another one agrees by signature. A transfer forgets that wallet. No list, no vault, no token.
contract IdentityRegistry {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);
    event Registered(uint256 indexed agentId, string agentURI, address indexed owner);
    event URIUpdated(uint256 indexed agentId, string newURI, address indexed updatedBy);
    event MetadataSet(
        uint256 indexed agentId, string indexed indexedMetadataKey, string metadataKey, bytes metadataValue
    );

    error NonexistentToken(uint256 tokenId);
    error NotAllowed(address caller, uint256 tokenId);
    error NoRecipient();
    error Expired(uint256 deadline);
    error WalletSigner(address recovered, address wallet);

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant WALLET_TYPEHASH =
        keccak256("AgentWalletSet(uint256 agentId,address newWallet,address owner,uint256 deadline)");

    string public constant name = "AgentIdentity";
    string public constant symbol = "AGENT";
    uint256 private _nextId;
    mapping(uint256 id => address) private _owners;
    mapping(uint256 id => address) private _wallets;
    mapping(uint256 id => string) private _uris;
    mapping(address owner => uint256) public balanceOf;
    mapping(uint256 id => address) private _approved;
    mapping(address owner => mapping(address operator => bool)) public isApprovedForAll;

    /// @notice Ids count from 0.
    function register(string calldata agentURI) external returns (uint256 agentId) {
        agentId = _nextId++;
        _owners[agentId] = msg.sender;
        _wallets[agentId] = msg.sender;
        _uris[agentId] = agentURI;
        balanceOf[msg.sender] += 1;
        emit Transfer(address(0), msg.sender, agentId);
        emit Registered(agentId, agentURI, msg.sender);
        emit MetadataSet(agentId, "agentWallet", "agentWallet", abi.encodePacked(msg.sender));
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd || id == 0x5b5e139f;
    }

    function ownerOf(uint256 agentId) public view returns (address owner) {
        owner = _owners[agentId];
        if (owner == address(0)) revert NonexistentToken(agentId);
    }

    /// @return Zero while the agent has none: after a transfer, until the new owner names one.
    function getAgentWallet(uint256 agentId) external view returns (address) {
        ownerOf(agentId);
        return _wallets[agentId];
    }

    function tokenURI(uint256 agentId) external view returns (string memory) {
        ownerOf(agentId);
        return _uris[agentId];
    }

    function getApproved(uint256 agentId) external view returns (address) {
        ownerOf(agentId);
        return _approved[agentId];
    }

    function setAgentURI(uint256 agentId, string calldata newURI) external {
        _checkCaller(agentId);
        _uris[agentId] = newURI;
        emit URIUpdated(agentId, newURI, msg.sender);
    }

    /// @param signature the new wallet's, over the agent, itself, the owner and the deadline
    function setAgentWallet(uint256 agentId, address newWallet, uint256 deadline, bytes calldata signature) external {
        _checkCaller(agentId);
        if (block.timestamp > deadline) revert Expired(deadline);
        bytes32 domain =
            keccak256(abi.encode(DOMAIN_TYPEHASH, keccak256("ERC8004IdentityRegistry"), keccak256("1"), block.chainid, this));
        bytes32 message = keccak256(abi.encode(WALLET_TYPEHASH, agentId, newWallet, ownerOf(agentId), deadline));
        bytes32 digest = keccak256(abi.encodePacked("\x19\x01", domain, message));
        address signer = signature.length != 65
            ? address(0)
            : ecrecover(digest, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64]));
        if (signer == address(0) || signer != newWallet) revert WalletSigner(signer, newWallet);
        _setWallet(agentId, newWallet);
    }

    function unsetAgentWallet(uint256 agentId) external {
        _checkCaller(agentId);
        _setWallet(agentId, address(0));
    }

    function approve(address to, uint256 agentId) external {
        address owner = ownerOf(agentId);
        if (msg.sender != owner && !isApprovedForAll[owner][msg.sender]) revert NotAllowed(msg.sender, agentId);
        _approved[agentId] = to;
        emit Approval(owner, to, agentId);
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function transferFrom(address from, address to, uint256 agentId) external {
        _checkCaller(agentId);
        if (ownerOf(agentId) != from) revert NotAllowed(from, agentId);
        if (to == address(0)) revert NoRecipient();
        delete _approved[agentId];
        balanceOf[from] -= 1;
        balanceOf[to] += 1;
        _owners[agentId] = to;
        emit Transfer(from, to, agentId);
        _setWallet(agentId, address(0));
    }

    function _setWallet(uint256 agentId, address wallet) private {
        _wallets[agentId] = wallet;
        emit MetadataSet(agentId, "agentWallet", "agentWallet", abi.encodePacked(wallet));
    }

    function _checkCaller(uint256 agentId) private view {
        address owner = ownerOf(agentId);
        if (msg.sender != owner && msg.sender != _approved[agentId] && !isApprovedForAll[owner][msg.sender]) {
            revert NotAllowed(msg.sender, agentId);
        }
    }
}
